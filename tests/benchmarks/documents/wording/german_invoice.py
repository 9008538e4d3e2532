"""Words of invoices in German."""

TEXT = """| Bitte überweisen Sie den Gesamtbetrag innerhalb von {small} Wochen auf das unten genannte Konto.
| Wir danken für Ihren Auftrag vom {date} und berechnen Ihnen wie folgt.
| Der Betrag ist am {date} ohne Abzug fällig.
| Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum.
| Bei Zahlung innerhalb von {small} Tagen gewähren wir {small} Prozent Skonto.
| Bitte geben Sie bei der Überweisung die Rechnungsnummer {number} an.
| Die Lieferung erfolgte am {date} ab Lager {city}.
| Alle Preise verstehen sich in Euro einschließlich Verpackung und Fracht.
| Bei Verzug berechnen wir Zinsen von {small} Prozent im Jahr und eine Mahngebühr von {amount}.
| Fragen zu dieser Rechnung beantwortet {person}, Durchwahl {count}.
| Die Umsatzsteuer wurde nach dem am {date} gültigen Satz berechnet.
| Den Betrag buchen wir ab dem {date} von Ihrem Konto ab.
| Diese Rechnung wurde maschinell erstellt und gilt ohne Unterschrift.
| Unsere Leistungen im {month}: {service}, {small} Stunden vor Ort.
| Steuerfreie innergemeinschaftliche Lieferung, soweit nicht anders angegeben.
title: Rechnung | RECHNUNG | Rechnung Nr. {number} | Schlussrechnung | Abschlagsrechnung | Honorarrechnung
meta: Rechnungsnr. | Rechnungsdatum | Kundennr. | Fällig am | Auftragsnr. | Lieferdatum | USt-IdNr. | Bearbeiter
meta_id: {number}
columns: Bezeichnung; Menge; Einzelpreis; Betrag
columns: Artikel; Anzahl; Preis; Summe
columns: Leistung; Stunden; Satz; Betrag
columns: Position; Stück; Je Einheit; Gesamt
row: Lieferung von {thing}
row: Posten {thing}
row: {service^}
row: Montage von {thing}
row: Fracht und Verpackung
row: Arbeitszeit in {city}
subtotal: Zwischensumme | Nettobetrag | Summe netto | Warenwert
tax: zzgl. {small} % MwSt. | Umsatzsteuer 19 % | MwSt. 7 %
total: Gesamtbetrag | Rechnungsbetrag | Zu zahlen | Endbetrag brutto | Gesamtsumme
bank: IBAN: {iban}
bank: Sparkasse {city} · IBAN {iban}
bank: Bankverbindung: {iban}
terms: Steuernr. {count}/{count}/{count} · {firm} · {city}
terms: Amtsgericht {city}, HRB {count} · Geschäftsführer: {person}"""
