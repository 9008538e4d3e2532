"""Words and sentences in English, for pages about anything."""

NAMES = """first_name: Anna | Peter | Maria | James | Ruth | Oliver | Clara | Simon | Helen | Marcus | Nora | David | Irene | Paul
last_name: Miller | Carter | Hughes | Bennett | Foster | Lindqvist | Marlow | Okafor | Reyes | Novak | Sutton | Whitaker | Berger
firm: Northgate Ltd | Harbor & Sons | Bluefield Inc. | Keller Trading | Aldermoor Group | Fenwick Supplies | Tessel LLC
firm: Pinewood Services | Quarry Lane Works | Ostara Software | Brightwell Energy | Larkspur Media
city: Bristol | Leeds | Dover | Portland | Dublin | Oxford | Halifax | Denver | Cardiff | Norwich | Albany | Salem
street: Mill Road | Station Street | Church Lane | Harbor Avenue | Kings Court | Orchard Way | Bridge Street | Park Row
month: January | February | March | April | May | June | July | August | September | October | November | December
thing: desk lamps | filing cabinets | copper pipes | paper rolls | garden chairs | winter tires | safety gloves | steel screws
thing: printer cartridges | oak boards | light bulbs | water filters | cable drums | paint brushes | storage boxes | door handles
service: cleaning of the offices | repair of the heating | delivery and assembly | yearly inspection | translation of documents
service: transport of goods | advice on taxes | training of staff | care of the garden | hosting of the website
topic: the housing market | public transport | water supply | energy use | staff training | customer complaints | road safety
topic: waste collection | school meals | network security | sales in the region | the new warehouse | library visits"""

PROSE = """noun: river | teacher | engine | market | window | forest | captain | letter | village | season | bridge | harbor | machine
noun: doctor | council | painter | station | library | mountain | neighbor | farmer | concert | garden | journey | kitchen
noun: measure | question | storm | museum | railway | factory | winter | account | island | student | newspaper | election
adjective: quiet | narrow | ancient | careful | bright | broken | patient | foreign | golden | hidden | northern | ordinary
adjective: remarkable | distant | familiar | gentle | heavy | independent | mysterious | reliable | temporary | wooden
plural: people | visitors | children | citizens | workers | travelers | officials | scientists | musicians | merchants | families
verb: remembered | discovered | followed | described | repaired | painted | measured | admired | protected | examined
verb: considered | supported | criticized | published | collected | questioned | celebrated | transported | welcomed
went: walked | returned | moved | traveled | hurried | waited | worked | disappeared | gathered | remained
place: near the old harbor | behind the station | in the upper valley | on the other side of the street | at the town hall
place: along the coast | under the bridge | in a small workshop | between two mountains | outside the city walls
time: in the early morning | after the long winter | before the election | during the last decade | every second Tuesday
time: at the end of the war | for almost thirty years | on a rainy afternoon | since the beginning of the century
adverb: slowly | carefully | suddenly | usually | unfortunately | finally | quietly | certainly | occasionally | recently
abstract: responsibility | development | independence | understanding | administration | information | communication
abstract: environment | architecture | agriculture | imagination | transformation | cooperation | unemployment | translation
| The {adjective} {noun} {verb} the {noun} {place}.
| {time^}, the {plural} {verb} a {adjective} {noun}, and the {noun} {went} {place}.
| Most {plural} {went} {place} because the {noun} had {verb} them {time}.
| {adverb^}, nobody {verb} the {noun} of the {adjective} {noun}.
| According to {first_name} {last_name}, the {abstract} of the {noun} has changed {time}.
| “We never {verb} the {noun},” {last_name} explained {time}.
| What the {plural} {verb} was not {abstract}, but the {adjective} {noun} {place}.
| About {count} {plural} {went} {place}; only {small} of them {verb} the {noun}.
| In {year}, the {adjective} {noun} from {city} {verb} its {abstract} and {abstract}.
| It was {adverb} clear that the {noun} {verb} more than {count} {plural}.
| The {noun} {went} {time}, although the {plural} {verb} every {adjective} {noun}.
| Between {city} and {city}, {plural} {adverb} {verb} the {abstract} of {topic}.
| When the {noun} {went} {place}, {first_name} {verb} a {noun} that {plural} had {verb} {time}.
| Such {abstract} costs {count} dollars a year, which is {small} percent more than before.
| Neither the {noun} nor the {adjective} {noun} {went} {time}.
| A question of {abstract} remains: who {verb} the {noun} {place}?
heading: The {adjective} {noun}
heading: {abstract^} and the {noun}
heading: {plural^} {place}
heading: Why the {noun} {went}
heading: A {noun} from {city}
heading: {noun^} or {noun}?
heading: {abstract^} {place}
headline: {plural^} {verb} the {adjective} {noun} {place}
headline: The {noun} of {city} {went} {time}
headline: How {plural} {verb} {abstract} and {abstract}
headline: {adjective^} {noun} {verb} {count} {plural}
caption: Figure {small}: The {noun} {place}, {year}
caption: The {adjective} {noun} of {city}. Photo: {last_name}
caption: Fig. {small}. {abstract^} in percent, {year}
footnote: See {last_name}, The {adjective} {noun}, {city} {year}, p. {count}.
footnote: Numbers for {year} from the {abstract} of {city}.
footnote: The {noun} was {verb} only {time}.
side_note: The {noun} {place}
side_note: See page {count}
side_note: {abstract^} since {year}
item: the {adjective} {noun} {place}
item: {abstract} of {count} {plural}
item: a {noun} for every {noun}
running: The {city} Observer
running: {abstract^} and {abstract}, volume {small}
running: Chapter {small}: The {noun}
folio: {count}
folio: Page {small}
folio: – {count} –
foot: Printed in {city} · {year}
foot: {firm}, {city}, {year}"""
