"""Words of poems in English."""

TEXT = """| The {noun} is {adjective} under the moon
| and no one calls the {noun} by its name
| O {adjective} {noun}, you will leave us soon
| the {noun} and the {noun} are much the same
| I counted {small} birds above the {noun}
| while you were asleep {place}
| What does the {noun} whisper to the snow?
| A {adjective} light, a {adjective} sound
| and all the {plural} went below
| until the {noun} was lost and found
| So let the {noun} sing once more
| for those who {verb} the {adjective} shore
| My heart, a {noun} in the rain
| {time}, {time}
title: The {noun} | {adjective^} {noun} | To a {noun} | Song of the {plural} | {month}"""
