"""Words of forms in German."""

TEXT = """| Bitte füllen Sie dieses Formular in Druckbuchstaben aus und senden Sie es bis zum {date} zurück.
| Zutreffendes bitte ankreuzen; alle anderen Felder bleiben frei.
| Unvollständige Anträge können nicht bearbeitet werden.
| Ich versichere, dass alle oben gemachten Angaben richtig und vollständig sind.
| Senden Sie das Formular an {firm}, {street} {small}, {city}.
| Mit einem Stern gekennzeichnete Felder sind Pflichtfelder.
| Legen Sie eine Kopie Ihres Ausweises und {small} Passfotos bei.
| Nicht unterhalb dieser Linie schreiben; nur für amtliche Vermerke.
| Ich bin damit einverstanden, dass meine Daten zur Bearbeitung des Antrags gespeichert werden.
| Verwenden Sie für jede weitere Person ein eigenes Blatt.
| Bei Antragstellern unter {count} Jahren unterschreiben die Eltern.
| Bitte geben Sie dieses Blatt in Zimmer {count} ab.
| Sie können Ihre Einwilligung jederzeit schriftlich widerrufen.
title: Antrag auf Mitgliedschaft | Anmeldung für {month} | Schadensmeldung | Aufnahmeantrag | Ummeldung | Bestellschein | Reisekostenabrechnung | Fragebogen
section: Angaben zur Person | Anschrift | Bankverbindung | Ihre Bestellung | Angehörige im Haushalt | Beschäftigung | Erklärung | Angaben zum Ereignis
label: Name | Vorname | Geburtsdatum | Geburtsort | Straße und Hausnummer | Postleitzahl | Wohnort | Telefon | E-Mail | Staatsangehörigkeit | Beruf | Arbeitgeber | Kontoinhaber | IBAN | Unterschrift | Datum | Kundennummer | Steuernummer | Familienstand | Grund
answer: {last_name} | {first_name} | {date} | {city} | {street} {small} | {count} | {number} | {person}
choice: ja | nein | weiblich | männlich | ledig | verheiratet | per Post | per E-Mail | Vollzeit | Teilzeit | Erstantrag | Verlängerung | Ich stimme zu | entfällt | bar | per Lastschrift
question: Besitzen Sie einen gültigen Ausweis? | Waren Sie bereits Mitglied? | Wie möchten Sie benachrichtigt werden? | Leben Sie allein? | Ist der Schaden versichert? | Benötigen Sie eine Quittung?
table: Nr.; Name; Datum; Betrag"""
