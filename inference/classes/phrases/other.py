"""Phrases of documents that are of no class: recipes, menus, manuals, news, stories, résumés, programs of events."""

from inference.classes.phrases.evidence import Evidence

EVIDENCE = (
    Evidence(
        "other_recipe",
        "text",
        "ingredients | teaspoon* | tablespoon* | tsp | tbsp | cup of | cups | preheat | oven | simmer | stir"
        " | bake | chopped | peel | dough | flour | sugar | butter | salt | pepper | garlic | onion | onions"
        " | serves | servings | zutaten | teeloffel | essloffel | el | tl | ofen | backofen | backen | kochen"
        " | ruhren | unterruhren | mehl | zucker | salz | pfeffer | zwiebel* | knoblauch | portionen"
        " | zubereitung | teig | wurzen | ingredientes | ingredienti | tin | whisk | minutes | grams | 180c"
        " | eggs | egg | cream | zest | yeast | olive oil | vanilla | eier | sahne | ol | hefe | minuten"
        " | vorheizen | springform | pfanne | topf | abschmecken | servieren | pro portion | kalorien | oil"
        " | lemon | milk | milch",
        2,
    ),
    Evidence(
        "other_menu",
        "text",
        "starters | appetizers | main courses | mains | desserts | dessert | beverages | soup | soups | salad"
        " | salads | grilled | roasted | fried | cheese | wine | beer | coffee | chef | menu | restaurant"
        " | allergens | with rice | vorspeisen | hauptgerichte | hauptspeisen | nachspeisen | nachtisch"
        " | getranke | suppe | suppen | salat | salate | gegrillt* | gebraten* | kase | wein | bier | kaffee"
        " | speisekarte | allergene | beilagen | mittagstisch | schnitzel | pommes | entrees | postres"
        " | antipasti | fish | chicken | beef | pork | lamb | rice | potatoes | fries | chips | sauce"
        " | gluten free | vegan | vegetarian | veg | two courses | bread | ice cream | cake | gravy"
        " | tagesgericht | fisch | huhn | hahnchen | rind* | schwein* | lamm | reis | kartoffel* | sosse"
        " | vegetarisch | glutenfrei | brot | eis | kuchen | rotkohl | klosse | knodel | hauptgang | vorweg",
        2,
    ),
    Evidence(
        "other_manual",
        "text",
        "press the | press and hold | switch off | switch on | turn off | turn on | remove the | insert the"
        " | connect the | make sure | warning | caution | danger | troubleshooting | the device | the appliance"
        " | the unit | screws | button | display | battery | power cord | plug | user manual | user guide"
        " | operating instructions | click on | before use | getting started | achtung | warnung | vorsicht"
        " | gefahr | das gerat | des gerats | schrauben | taste | knopf | drucken sie | entfernen sie"
        " | schalten sie | stecken sie | netzstecker | akku | einschalten | ausschalten | bedienungsanleitung"
        " | betriebsanleitung | gebrauchsanweisung | montage | inbetriebnahme | fehlerbehebung | storung"
        " | reinigung | wartung | step 1 | step 2 | you will need | tools | wheel | nut | bolt | lever | turn the"
        " | push the | pull the | pull out | tighten | loosen | install | download | settings | screen | menu"
        " | schritt 1 | schritt 2 | sie benotigen | werkzeug | drehen sie | ziehen sie | driken sie"
        " | im uhrzeigersinn | einstellen | einstellung | bildschirm | installieren | herunterladen | hinweis"
        " | herausziehen | eindrucken",
        2,
    ),
    Evidence(
        "other_news",
        "text",
        "reporters | police | minister | president | mayor | spokesman | spokeswoman | spokesperson | parliament"
        " | government | according to | residents | witnesses | the match | scored | coach | fans | championship"
        " | polizei | minister* | prasident* | burgermeister* | sprecher | sprecherin | regierung | bundestag"
        " | zufolge | anwohner | sagte | erklarte | berichtet* | spieler | trainer | mannschaft | zuschauer"
        " | striker | midfielder | league | cup | referee | match | tournament | olympic | coalition | opposition"
        " | senator | prime minister | hospital said | emergency services | firefighters | investigators"
        " | suspect | court heard | forecasters | warned | gales | crash | festival | stadium | liga | pokal"
        " | torhuter | stadion | verletzt | feuerwehr | unfall | verdachtig* | ermittler | partei | koalition"
        " | kanzler* | premier | nachrichten | reporter",
        3,
    ),
    Evidence(
        "other_story",
        "text",
        "he said | she said | once upon | i thought | she looked | he looked | her eyes | his eyes | moon | heart"
        " | dream | dreams | night | stars | the sea | the wind | whispered | smiled | kapitel | es war einmal"
        " | sagte er | sagte sie | fragte er | fragte sie | ihre augen | seine augen | mond | herz | traum"
        " | traume | nacht | sterne | das meer | der wind | flusterte | lachelte | century | emperor | king"
        " | queen | kingdom | empire | castle | forest | river | mountains | morning | darkness | silence"
        " | shadow | laughed | cried | walked | looked | voice | face | door | window | suddenly | remembered"
        " | watched | slept | jahrhundert | kaiser | konig | konigin | schloss | wald | fluss | berge | morgen"
        " | dunkel* | stille | schatten | lachte | weinte | ging er | stimme | gesicht | tur | fenster"
        " | plotzlich | erwachte | schlief | schwieg",
        3,
    ),
    Evidence(
        "other_profile",
        "text",
        "curriculum vitae | resume | work experience | professional experience | education | skills | bachelor"
        " | university | languages | hobbies | interests | fluent | certifications | lebenslauf | berufserfahrung"
        " | ausbildung | schulbildung | werdegang | kenntnisse | sprachkenntnisse | abitur | studium | fliessend"
        " | fuhrerschein | interessen | praktikum | experience | employment history | references available"
        " | volunteer | references | degree | bsc | msc | diploma | gpa | proficient | native | objective"
        " | career | programming | geboren | beruflicher werdegang | weiterbildung* | edv kenntnisse"
        " | muttersprache | ehrenamt* | praktika | hochschule | universitat | abschluss | projekte",
        2,
    ),
    Evidence(
        "other_event",
        "text",
        "table of contents | contents | isbn | all rights reserved | published by | glossary | admission"
        " | tickets | free entry | doors open | opening hours | join us | program | programme | workshop"
        " | speaker | agenda | boarding | departure | arrival | gate | seat | timetable | lesson | exercise"
        " | homework | offer | sale | special | only today | free shipping | subscribe | follow us"
        " | inhaltsverzeichnis | inhalt | verlag | eintritt | karten | einlass | offnungszeiten | programm"
        " | tagesordnung | abfahrt | ankunft | fahrplan | sitzplatz | aufgabe | ubung | angebot | rabatte"
        " | jetzt sparen | aktion | newsletter | herausgeber | auflage | specials | weekly | happy hour"
        " | book now | bring a friend | everyone welcome | welcome | live music | concert | exhibition | theatre"
        " | club | fair | party | platform | train | bus | flight | departures | arrivals | calculate | solve"
        " | quiz | question | answer | exam | lecture | slide | gleis | zug | flug | haltestelle | fahrgaste"
        " | konzert | ausstellung | theater | fest | verein | einladung zum | tanz | berechne | loese | losung"
        " | erfinde | klassenarbeit | arbeitsblatt | uhr | ab 14 uhr | bei regen | spiel | spieler",
        3,
    ),
)
