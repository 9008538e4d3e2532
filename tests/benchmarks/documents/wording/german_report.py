"""Words of reports in German."""

TEXT = """| Im Berichtszeitraum von {small} Monaten stiegen die Kosten um {small} Prozent auf {amount}.
| Die Befragung von {count} Haushalten zeigt, dass das Thema wichtiger ist als erwartet.
| Gegenüber {year} sank die Zahl der Beschwerden von {count} auf {count}.
| Wir empfehlen dem Vorstand daher, weiter über {topic} zu beraten.
| Tabelle {small} gibt einen Überblick über die Ergebnisse nach Regionen.
| Die Messungen in {city} wurden {small} Mal unter gleichen Bedingungen wiederholt.
| Etwa {small} von zehn Befragten waren mit der Leistung zufrieden: {service}.
| Das größte Risiko bleibt der Verzug bei der Lieferung von {thing}.
| Der Umsatz betrug {amount}; davon entfielen auf {city} rund {small} Prozent.
| Unsere Auswertung beruht auf Daten, die zwischen dem {date} und dem {date} erhoben wurden.
| Die Arbeitsgruppe tagte {small} Mal und befragte {count} Fachleute.
| Diese Ergebnisse gelten nicht für kleinere Standorte, wo nur {count} Fälle untersucht wurden.
| Im Durchschnitt dauerte jede Prüfung {count} Minuten, {small} weniger als im Vorjahr.
| Offen bleibt, wodurch der Rückgang im {month} verursacht wurde.
| Weitere Schritte hängen vom Haushalt ab, über den am {date} entschieden wird.
| Abbildung {small} zeigt die Entwicklung seit {year}.
title: Jahresbericht {year} | Bericht über {topic} | Zwischenbericht, {month} {year} | Ergebnisse der Umfrage {year} | Prüfbericht {number} | Quartalsbericht
by: Erstellt von {person}, {firm} | {person}, {city}, {date} | Arbeitsgruppe {city} | Stand: {date}
section: Einleitung | Zusammenfassung | Methode | Ergebnisse | Diskussion | Empfehlungen | Kosten | Ausblick | Hintergrund | Befunde | Daten und Quellen | Nächste Schritte
finding: {count} von {count} Standorten wurden geprüft
finding: die Kosten stiegen um {small} Prozent
finding: in {city} wird mehr Personal benötigt
finding: erneute Prüfung im Jahr {year} empfohlen
columns: Region; {year}; {year}; Änderung
columns: Standort; Fälle; Kosten; Anteil
row: {city}
caption: Abbildung {small}: Entwicklung seit {year}
caption: Abb. {small}. Kosten nach Monaten, in Tausend
caption: Abbildung {small}: Antworten der Umfrage, n = {count}
table_caption: Tabelle {small}: Ergebnisse nach Regionen
table_caption: Tabelle {small}. Fälle und Kosten, {year}
running: {firm} – Jahresbericht | Vertraulicher Entwurf, {date} | Bericht Nr. {number}"""
