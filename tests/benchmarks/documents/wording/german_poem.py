"""Words of poems in German."""

TEXT = """| So {adjective} liegt im Mond {der}
| und niemand ruft ihn mehr beim Namen
| O sag mir, was {die} verschweigt
| {wer^}, die mit dem Winde kamen
| Ich zählte {small} Vögel überm Haus
| und du schliefst {place}
| Was flüstert {das} dem Schnee?
| Ein leises Licht, ein fernes Lied
| {time}, {time}
| bis alles wieder still entflieht
| Noch einmal singe, {die} spricht
| für alle, die das Ufer sahen
| Mein Herz, ein Segel in dem Licht
| und {der} wird uns nahen
title: {der^} | Lied im {month} | An {die} | {abstract^} | Abend {place}"""
