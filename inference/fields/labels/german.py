"""Labels on German invoices and receipts, by what follows them."""

LABELS = """
title: rechnung | schlussrechnung | abschlagsrechnung | teilrechnung | honorarrechnung | quittung | kassenbon
title: proformarechnung | kassenbeleg | rechnungskopie | sammelrechnung | monatsrechnung | ihre rechnung
title: bewirtungsbeleg | barverkauf | honorarnote | faktura | dauerrechnung | handwerkerrechnung | endrechnung
title: kundenbeleg | kassenzettel | barrechnung
credit_title: gutschrift | stornorechnung | rechnungskorrektur | korrekturrechnung | storno
other_title: angebot | kostenvoranschlag | lieferschein | auftragsbestätigung | bestellung | mahnung
other_title: zahlungserinnerung | kontoauszug | bestellbestätigung
invoice_number: rechnungsnummer | rechnungsnr | rechnungs nr | rechnung nr | rechnung nummer | rechnung | re nr
invoice_number: rg nr | belegnummer | belegnr | beleg nr | bon nr | bonnummer | gutschriftsnummer | gutschrift nr
invoice_number: gutschrift | rechn nr | rechnungs no | rechnung no | rnr | re nummer | fakturanummer | faktura nr
invoice_number: beleg | bonnr | quittung nr | gutschriftsnr | gutschrifts nr | gutschriftnummer | stornorechnung nr
invoice_number: rechnungskorrektur nr | dokumentnummer | schlussrechnung nr | honorarrechnung nr
invoice_number: abschlagsrechnung nr | unsere rechnung | rechnungs id | bon | gutschrift nummer | rechnungskennung
invoice_number: quittungsnummer | belegnummer/rechnungsnummer | dokument nr | rg nummer
weak_number: nummer | nr | dokument
issue_date: rechnungsdatum | datum der rechnung | ausstellungsdatum | belegdatum | rechnung vom | rechnungsdat | vom
issue_date: re datum | gutschriftsdatum | ausgestellt am | fakturadatum | erstellt am | datum der ausstellung
issue_date: gutschrift vom | ausstellungstag | rg datum | dokumentdatum | kaufdatum | rechnungstag
weak_date: datum | den
due_date: fällig am | fälligkeit | fälligkeitsdatum | zahlbar bis | zu zahlen bis | zahlungsziel | fällig bis | fällig
due_date: zahlungstermin | zahlbar bis zum | bis zum | zahlung bis | zahlung fällig am | zahlungsfrist
due_date: bitte zahlen bis | spätestens bis | spätestens zum | zahlbar am | zu begleichen bis | valuta
due_date: zahlungseingang bis
order_number: bestellnummer | bestellnr | bestell nr | ihre bestellung | auftragsnummer | auftragsnr | auftrags nr
order_number: auftrag nr | auftrag | bestellung nr | bestellung | ihre bestellnummer | ihr auftrag | bestell no
order_number: ihre bestellnr | best nr | ihre auftragsnummer | ihre bestell nr | kundenbestellung | bestellreferenz
order_number: ihre bestellung nr | auftrags id
supplier: von | lieferant | verkäufer | rechnungssteller | kontoinhaber | absender | aussteller | leistungserbringer
supplier: empfänger | zahlungsempfänger | anbieter | auftragnehmer | begünstigter | inhaber | rechnungsaussteller
supplier: verkauft durch
buyer: an | kunde | rechnungsempfänger | rechnungsanschrift | rechnungsadresse | rechnung an | käufer | auftraggeber
buyer: kundenanschrift | leistungsempfänger | besteller | debitor | rechnung für | kundenadresse | herrn | frau
buyer: firma
ship: lieferanschrift | lieferadresse | lieferung an | versandadresse | leistungsort | warenempfänger
net: nettobetrag | netto | summe netto | nettosumme | zwischensumme | gesamt netto | warenwert | rechnungsbetrag netto
net: summe ohne mwst | netto betrag | gesamtbetrag netto | nettowert | gesamtnetto | total netto | betrag netto
net: zwischensumme netto | summe (netto) | summe exkl mwst | total exkl mwst | nettogesamtbetrag | summe positionen
net: gesamt (netto) | endbetrag netto | entgelt netto | steuerpflichtiger betrag | bemessungsgrundlage | zwischentotal
net: nettorechnungsbetrag | zwischensumme (netto) | betrag exkl mwst | netto gesamt | summe ohne ust
tax: mwst | ust | umsatzsteuer | mehrwertsteuer | zzgl mwst | zzgl ust | mwst betrag | steuerbetrag | steuer
tax: zuzüglich mwst | zzgl umsatzsteuer | gesetzliche mwst | enthaltene mwst | inkl mwst | darin enthaltene mwst
tax: mwst gesamt | ust betrag | summe mwst | zzgl gesetzl mwst | zuzüglich umsatzsteuer | enthaltene umsatzsteuer
tax: umsatzsteuerbetrag | summe steuern | davon mwst | enthält mwst | zzgl mehrwertsteuer | summe ust | steuern
tax: total mwst | plus mwst | enth mwst | darin mwst
total: gesamtbetrag | rechnungsbetrag | summe | gesamt | gesamtsumme | zu zahlen | zahlbetrag | endbetrag
total: bruttobetrag | brutto | summe brutto | gesamt brutto | total | zu zahlender betrag | endsumme | rechnungssumme
total: gesamtbetrag brutto | rechnungsbetrag brutto | rechnungsendbetrag | fälliger betrag | offener betrag
total: zahlungsbetrag | betrag | gesamtpreis | endbetrag brutto | bruttosumme | total inkl mwst
total: gesamtbetrag inkl mwst | summe inkl mwst | gutschriftsbetrag | summe eur | summe euro | total brutto
total: gesamtbetrag (brutto) | zu zahlen eur | rechnungstotal | gesamt eur | erstattungsbetrag | gesamtbetrag eur
total: bitte überweisen | totalbetrag | gesamt inkl mwst | gesamt (brutto) | summe (brutto) | total eur | total chf
total: zahlbetrag eur | rechnungsgesamtbetrag | bruttogesamtbetrag | endpreis
paid: gegeben | bar | rückgeld | ec karte | girocard | kartenzahlung | anzahlung | bereits bezahlt | abzgl anzahlung
paid: zurück | kreditkarte | erhalten | bezahlt | geleistete anzahlung | abzüglich anzahlung | visa | mastercard
paid: bargeld | wechselgeld | skontobetrag | abschlagszahlung | bereits gezahlt | barzahlung
discount: rabatt | nachlass | skonto | abzgl rabatt | abzüglich rabatt | preisnachlass | sonderrabatt
shipping: versand | versandkosten | fracht | porto | lieferkosten | porto und verpackung | versandkostenpauschale
carry: übertrag | zwischensumme übertrag | seitensumme | saldovortrag
rounding: rundung | rundungsdifferenz
iban: iban | kontonummer | konto | kto nr | bankverbindung | konto nr | kto | iban nr
bic: bic | swift | blz | bankleitzahl | bank | bankname | kreditinstitut | bic/swift
customer_number: kundennummer | kundennr | kunden nr | ihre kundennummer | debitorennummer | kd nr | mandant
customer_number: debitor nr | ihre kundennr | debitorennr | kunden id | kundenkonto | vertragskonto | kundenreferenz
delivery_date: lieferdatum | leistungsdatum | leistungszeitraum | liefertermin | bestelldatum | auftragsdatum
delivery_date: druckdatum | liefer/leistungsdatum | liefer und leistungsdatum | abrechnungszeitraum | zeitraum
delivery_date: lieferung vom | versanddatum | lieferzeitraum | leistung vom | lieferung am | datum der lieferung
delivery_date: bestellt am | auftrag vom | gültig bis | leistungsmonat | bestellung vom
other: lieferschein | lieferscheinnr | lieferschein nr | lieferscheinnummer | projekt | projektnummer | bearbeiter
other: seite | ihr zeichen | unser zeichen | ansprechpartner | zahlungsbedingungen | zahlungsart | verwendungszweck
other: sachbearbeiter | angebotsnummer | angebot nr | vertragsnummer | vertrag nr | kasse | kassierer | tisch
other: bediener | filiale | zahlungsweise | terminal | terminal id | artikelnummer | artikel nr | steuersatz
other: referenz | ihre referenz | kostenstelle | markt | tse signatur | vorgangsnummer | trace nr | uhrzeit | objekt
other: bauvorhaben | abteilung | zahlung | es bediente sie | konditionen | unsere referenz | lieferbedingung
other: projekt nr | signaturzähler | seriennummer | mandatsreferenz | gläubiger id | versandart
vat_id: ust idnr | ust id nr | ust id | ustid | ustidnr | umsatzsteuer id | steuernummer | steuer nr | st nr | uid
vat_id: uid nr | mwst nr | umsatzsteuer identifikationsnummer | handelsregister | amtsgericht | hrb | firmenbuchnummer
vat_id: mwst nummer | finanzamt | umsatzsteuer idnr | steuer id | ihre ust idnr | ihre ust id | hra | firmenbuch
vat_id: geschäftsführer | ust nr
phone: telefon | tel | fax | telefax | e mail | email | mobil | internet | web | fon | rückfragen | hotline
phone: durchwahl
column_position: pos | position | nr | lfd nr
column_description: bezeichnung | beschreibung | artikel | leistung | artikelbezeichnung | produkt
column_description: leistungsbeschreibung | text | ware | gegenstand | tätigkeit | artikelbeschreibung
column_quantity: menge | anzahl | stück | stunden | stk | std | mge | mng
column_unit: einheit | eh | me
column_code: artikelnr | art nr | artikelnummer | artikel nr
column_price: einzelpreis | preis | e preis | stückpreis | ep | stundensatz | satz | je einheit | preis/einheit
column_price: einheitspreis | einzelpreis netto | preis je einheit
column_tax: mwst | ust | mwst % | ust % | steuersatz | steuer | mwst satz | ust satz
column_discount: rabatt | rabatt %
column_amount: betrag | gesamt | summe | gesamtpreis | g preis | gp | netto | gesamtbetrag | nettobetrag
column_amount: positionssumme | wert | total | betrag netto | gesamt netto | gesamtpreis netto
"""
