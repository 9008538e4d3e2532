"""Words and sentences in German, for pages about anything."""

NAMES = """first_name: Anna | Peter | Maria | Jürgen | Ruth | Oliver | Klara | Stefan | Helene | Markus | Sören | Käthe | Irene | Paul
last_name: Müller | Schröder | Weiß | Bergmann | Förster | Lindner | Krause | Jäger | Böhm | Neumann | Großmann | Köhler
firm: Nordtor GmbH | Hafen & Söhne | Blaufeld AG | Keller Handel KG | Ahlmoor Gruppe | Fenster Schäfer OHG | Tessel GmbH
firm: Kiefernholz Dienste | Bruchweg Werke | Ostara Software GmbH | Hellbrunn Energie | Lerchensporn Medien
city: Köln | Leipzig | Lübeck | München | Bremen | Kassel | Würzburg | Jena | Görlitz | Ulm | Rostock | Hannover
street: Mühlenweg | Bahnhofstraße | Kirchgasse | Hafenallee | Königshof | Gartenstraße | Brückenstraße | Am Stadtpark
month: Januar | Februar | März | April | Mai | Juni | Juli | August | September | Oktober | November | Dezember
thing: Schreibtischlampen | Aktenschränken | Kupferrohren | Papierrollen | Gartenstühlen | Winterreifen | Stahlschrauben
thing: Druckerpatronen | Eichenbrettern | Glühbirnen | Wasserfiltern | Kabeltrommeln | Türgriffen | Schutzhandschuhen
service: Reinigung der Büros | Reparatur der Heizung | Lieferung und Montage | jährliche Prüfung | Übersetzung von Unterlagen
service: Beförderung von Waren | Beratung zu Steuern | Schulung des Personals | Pflege des Gartens | Betrieb der Webseite
topic: den Wohnungsmarkt | den Nahverkehr | die Wasserversorgung | den Stromverbrauch | die Verkehrssicherheit | das neue Lager
topic: die Müllabfuhr | das Schulessen | die Netzsicherheit | den Umsatz der Region | die Beschwerden der Kundschaft"""

PROSE = """der: der Fluss | der Lehrer | der Markt | der Wald | der Kapitän | der Brief | der Hafen | der Sturm | der Nachbar | der Garten
die: die Brücke | die Maschine | die Ärztin | die Zeitung | die Bibliothek | die Fabrik | die Küche | die Schülerin | die Insel
das: das Dorf | das Fenster | das Museum | das Gebirge | das Konzert | das Rathaus | das Gebäude | das Gedächtnis | das Gespräch
wen: den Fluss | den Bürgermeister | die Brücke | die alte Mühle | das Fenster | die Rechnung | das Gemälde | den schmalen Weg
wen: die Versammlung | den Bahnhof | das Schiff | die Eisenbahn | den Fußgängerüberweg | die Straßenbahn | das Grundstück
wer: die Leute | die Besucher | die Kinder | die Bürgerinnen | die Arbeiter | die Reisenden | die Beamten | die Händler
adjective: still | schmal | uralt | sorgfältig | hell | zerbrochen | geduldig | fremd | golden | verborgen | gewöhnlich | zuverlässig
verb: entdeckte | beschrieb | reparierte | bemalte | vermaß | bewunderte | beschützte | untersuchte | erwähnte | übersah
verbs: entdeckten | beschrieben | reparierten | vermaßen | bewunderten | beschützten | untersuchten | überquerten | verließen
done: entdeckt | beschrieben | repariert | bemalt | vermessen | bewundert | geschützt | geprüft | übersehen | veröffentlicht
went: verschwand | kehrte zurück | wartete | blieb stehen | arbeitete | zerfiel | wuchs | veränderte sich | lag
place: am alten Hafen | hinter dem Bahnhof | im oberen Tal | auf der anderen Straßenseite | vor dem Rathaus | an der Küste
place: unter der Brücke | in einer kleinen Werkstatt | zwischen zwei Bergen | außerhalb der Stadtmauer | über den Dächern
time: am frühen Morgen | nach dem langen Winter | vor der Wahl | während der letzten Jahrzehnte | jeden zweiten Dienstag
time: gegen Ende des Krieges | seit fast dreißig Jahren | an einem regnerischen Nachmittag | zu Beginn des Jahrhunderts
adverb: langsam | vorsichtig | plötzlich | gewöhnlich | leider | schließlich | heimlich | gewiss | gelegentlich | neulich
abstract: Verantwortung | Entwicklung | Unabhängigkeit | Verständigung | Verwaltung | Öffentlichkeit | Überzeugung
abstract: Umwelt | Landwirtschaft | Vorstellungskraft | Veränderung | Zusammenarbeit | Arbeitslosigkeit | Geschwindigkeit
| {der^} {verb} {wen} {place}.
| {time^} {verbs} {wer} {wen}, und {die} {went} {place}.
| {wer^} {verbs} {wen}, weil {das} {time} nicht mehr {adjective} war.
| {adverb^} {verb} niemand {wen} {place}.
| Nach Angaben von {first_name} {last_name} hat sich die {abstract} {time} verändert.
| „Wir haben {wen} nie {done}“, erklärte {last_name} {time}.
| Nicht {abstract} war es, was {wer} {verbs}, sondern {das} {place}.
| Etwa {count} Menschen {verbs} {wen}; nur {small} davon kannten {die}.
| Im Jahr {year} {verb} {der} aus {city} {wen} und damit auch {topic}.
| Es war {adverb} klar, dass {die} mehr als {count} Euro kosten würde.
| {die^} {went} {time}, obwohl {wer} {wen} sehr {adjective} fanden.
| Zwischen {city} und {city} wurde über {topic} {adverb} gestritten.
| Als {das} {place} {went}, {verb} {first_name} {wen}, und {der} wurde {done}.
| So viel {abstract} kostet {count} Euro im Jahr, also {small} Prozent mehr als früher.
| Weder {der} noch {die} {went} {time}.
| Es bleibt eine Frage der {abstract}: Wer {verb} {wen} {place}?
heading: {der^} {place}
heading: {abstract^} und {abstract}
heading: {wer^} {place}
heading: Warum {die} {went}
heading: {das^} von {city}
heading: {der^} oder {die}?
headline: {wer^} {verbs} {wen} {place}
headline: {das^} von {city} {went} {time}
headline: Wie {wer} {wen} {verbs}
headline: {adverb^} {verb} {die} {wen}
caption: Abbildung {small}: {das^} {place}, {year}
caption: {die^} von {city}. Foto: {last_name}
caption: Abb. {small}. {abstract^} in Prozent, {year}
footnote: Vgl. {last_name}, {abstract^} und {abstract}, {city} {year}, S. {count}.
footnote: Zahlen für {year} nach Angaben der Stadt {city}.
footnote: {der^} wurde erst {time} {done}.
side_note: {der^} {place}
side_note: Siehe Seite {count}
side_note: {abstract^} seit {year}
item: {der} {place}
item: {abstract} für {count} Menschen
item: je {count} Euro für {topic}
running: Neues Tageblatt {city}
running: {abstract^} und {abstract}, Band {small}
running: Kapitel {small}: {der^}
folio: {count}
folio: Seite {small}
folio: – {count} –
foot: Gedruckt in {city} · {year}
foot: {firm}, {city}, {year}"""
