"""Phrases of documents that are of no class: recipes, menus, manuals, news, stories, résumés, programs of events."""

from inference.classes.phrases.evidence import Evidence

EVIDENCE = (
    Evidence(
        "other_recipe",
        "text",
        "ingredients | teaspoon* | tablespoon* | tsp | tbsp | cup of | cups | preheat | oven | simmer | stir | bake | chopped"
        " | peel | dough | flour | sugar | butter | salt | pepper | garlic | onion | onions | serves | servings | zutaten"
        " | teeloffel | essloffel | el | tl | ofen | backofen | backen | kochen | ruhren | unterruhren | mehl | zucker"
        " | salz | pfeffer | zwiebel* | knoblauch | portionen | zubereitung | teig | wurzen | ingredientes | ingredienti",
        2,
    ),
    Evidence(
        "other_menu",
        "text",
        "starters | appetizers | main courses | mains | desserts | dessert | beverages | soup | soups | salad | salads"
        " | grilled | roasted | fried | cheese | wine | beer | coffee | chef | menu | restaurant | allergens | with rice"
        " | vorspeisen | hauptgerichte | hauptspeisen | nachspeisen | nachtisch | getranke | suppe | suppen | salat | salate"
        " | gegrillt* | gebraten* | kase | wein | bier | kaffee | speisekarte | allergene | beilagen | mittagstisch"
        " | schnitzel | pommes | entrees | postres | antipasti",
        2,
    ),
    Evidence(
        "other_manual",
        "text",
        "press the | press and hold | switch off | switch on | turn off | turn on | remove the | insert the | connect the"
        " | make sure | warning | caution | danger | troubleshooting | the device | the appliance | the unit | screws"
        " | button | display | battery | power cord | plug | user manual | user guide | operating instructions | click on"
        " | before use | getting started | achtung | warnung | vorsicht | gefahr | das gerat | des gerats | schrauben"
        " | taste | knopf | drucken sie | entfernen sie | schalten sie | stecken sie | netzstecker | akku | einschalten"
        " | ausschalten | bedienungsanleitung | betriebsanleitung | gebrauchsanweisung | montage | inbetriebnahme"
        " | fehlerbehebung | storung | reinigung | wartung",
        2,
    ),
    Evidence(
        "other_news",
        "text",
        "reporters | police | minister | president | mayor | spokesman | spokeswoman | spokesperson | parliament"
        " | government | according to | residents | witnesses | told | said | the match | goal | scored | coach | fans"
        " | championship | weather | sunday | saturday | yesterday | polizei | minister* | prasident* | burgermeister*"
        " | sprecher | sprecherin | regierung | bundestag | laut | zufolge | anwohner | sagte | erklarte | berichtet*"
        " | spieler | trainer | mannschaft | tor | sonntag | samstag | gestern | zuschauer",
        2,
    ),
    Evidence(
        "other_story",
        "text",
        "he said | she said | once upon | chapter | i thought | she looked | he looked | her eyes | his eyes | moon | heart"
        " | dream | dreams | night | stars | the sea | the wind | whispered | smiled | kapitel | es war einmal | sagte er"
        " | sagte sie | fragte er | fragte sie | ihre augen | seine augen | mond | herz | traum | traume | nacht | sterne"
        " | das meer | der wind | flusterte | lachelte",
        2,
    ),
    Evidence(
        "other_profile",
        "text",
        "curriculum vitae | resume | work experience | professional experience | education | skills | bachelor | university"
        " | languages | hobbies | interests | fluent | certifications | lebenslauf | berufserfahrung | ausbildung"
        " | schulbildung | werdegang | kenntnisse | sprachkenntnisse | abitur | studium | fliessend | fuhrerschein"
        " | interessen | praktikum",
        2,
    ),
    Evidence(
        "other_event",
        "text",
        "table of contents | contents | isbn | all rights reserved | published by | glossary | admission | tickets"
        " | free entry | doors open | opening hours | join us | program | programme | workshop | speaker | agenda"
        " | boarding | departure | arrival | gate | seat | timetable | lesson | exercise | homework | offer | sale | special"
        " | only today | free shipping | subscribe | follow us | inhaltsverzeichnis | inhalt | verlag | eintritt | karten"
        " | einlass | offnungszeiten | programm | tagesordnung | abfahrt | ankunft | fahrplan | sitzplatz | aufgabe"
        " | ubung | angebot | rabatte | jetzt sparen | aktion | newsletter | herausgeber | auflage",
        2,
    ),
)
