"""Words of contracts in German."""

TEXT = """| Der Auftragnehmer verpflichtet sich zu folgender Leistung: {service} in {city}.
| Die Parteien vereinbaren eine Vergütung von {amount} für jeden angefangenen Monat.
| Dieser Vertrag beginnt am {date} und gilt für die Dauer von {small} Jahren.
| Jede Partei kann den Vertrag mit einer Frist von {small} Monaten schriftlich kündigen.
| Änderungen dieses Vertrags bedürfen der Schriftform; mündliche Nebenabreden bestehen nicht.
| Der Auftraggeber zahlt innerhalb von {count} Tagen nach Zugang der Rechnung.
| Der Auftragnehmer haftet nur für Vorsatz und grobe Fahrlässigkeit.
| Beide Parteien behandeln alle Informationen aus diesem Vertrag vertraulich.
| Sollte eine Bestimmung unwirksam sein, so bleiben die übrigen Bestimmungen davon unberührt.
| Gerichtsstand für alle Streitigkeiten aus diesem Vertrag ist {city}.
| Der Mieter gibt die Räume in dem Zustand zurück, in dem er sie übernommen hat.
| Vor Übergabe der Schlüssel ist eine Kaution von {amount} zu leisten.
| Der Verkäufer gewährleistet, dass die Lieferung von {thing} frei von Mängeln und Rechten Dritter ist.
| Der Arbeitnehmer hat in jedem Kalenderjahr Anspruch auf {count} Tage bezahlten Urlaub.
| Die Abtretung von Rechten bedarf der vorherigen Zustimmung der anderen Partei.
| Gerät der Käufer in Verzug, so darf der Lieferant weitere Lieferungen zurückhalten.
| Die Nutzungsrechte gehen mit vollständiger Zahlung auf den Auftraggeber über.
title: Dienstleistungsvertrag | Mietvertrag | Kaufvertrag | Arbeitsvertrag | Darlehensvertrag | Lizenzvertrag
between: zwischen {firm}, {street} {small}, {city} (nachfolgend „Auftragnehmer“)
between: zwischen {person}, wohnhaft {street} {small}, {city}, im Folgenden „Vermieter“,
and: und {person}, {street} {count}, {city} (nachfolgend „Auftraggeber“)
and: und {firm}, {city}, vertreten durch {person}, im Folgenden „Vertragspartner“,
clause: Gegenstand des Vertrags | Laufzeit und Kündigung | Vergütung | Haftung | Verschwiegenheit | Schlussbestimmungen | Pflichten der Parteien | Gewährleistung | Gerichtsstand | Lieferung | Nutzungsrechte | Zahlung
mark: § | Artikel | Ziffer
place_date: {city}, den {date}
signature: Unterschrift Auftragnehmer | Unterschrift Auftraggeber | Der Vermieter | Der Mieter | Für die {firm}
recital: Die Parteien schließen folgenden Vertrag:
recital: Es wird Folgendes vereinbart:"""
