"""Labels on German invoices and receipts, by what follows them."""

LABELS = """
title: rechnung | schlussrechnung | abschlagsrechnung | teilrechnung | honorarrechnung | quittung | kassenbon | proformarechnung
title: kassenbeleg | rechnungskopie | sammelrechnung | monatsrechnung | ihre rechnung | bewirtungsbeleg | barverkauf
title: honorarnote | faktura | dauerrechnung | handwerkerrechnung | endrechnung | kundenbeleg | kassenzettel | barrechnung
credit_title: gutschrift | stornorechnung | rechnungskorrektur | korrekturrechnung | storno
other_title: angebot | kostenvoranschlag | lieferschein | auftragsbestätigung | bestellung | mahnung | zahlungserinnerung
other_title: kontoauszug | bestellbestätigung
invoice_number: rechnungsnummer | rechnungsnr | rechnungs nr | rechnung nr | rechnung nummer | rechnung | re nr | rg nr
invoice_number: belegnummer | belegnr | beleg nr | bon nr | bonnummer | gutschriftsnummer | gutschrift nr | gutschrift
invoice_number: rechn nr | rechnungs no | rechnung no | rnr | re nummer | fakturanummer | faktura nr | beleg | bonnr | quittung nr
invoice_number: gutschriftsnr | gutschrifts nr | gutschriftnummer | stornorechnung nr | rechnungskorrektur nr | dokumentnummer
invoice_number: schlussrechnung nr | honorarrechnung nr | abschlagsrechnung nr | unsere rechnung | rechnungs id | bon
invoice_number: gutschrift nummer | rechnungskennung | quittungsnummer | belegnummer/rechnungsnummer | dokument nr | rg nummer
weak_number: nummer | nr | dokument
issue_date: rechnungsdatum | datum der rechnung | ausstellungsdatum | belegdatum | rechnung vom | rechnungsdat | vom | re datum
issue_date: gutschriftsdatum | ausgestellt am | fakturadatum | erstellt am | datum der ausstellung | gutschrift vom
issue_date: ausstellungstag | rg datum | dokumentdatum | kaufdatum | rechnungstag
weak_date: datum | den
due_date: fällig am | fälligkeit | fälligkeitsdatum | zahlbar bis | zu zahlen bis | zahlungsziel | fällig bis | fällig
due_date: zahlungstermin | zahlbar bis zum | bis zum | zahlung bis | zahlung fällig am | zahlungsfrist | bitte zahlen bis
due_date: spätestens bis | spätestens zum | zahlbar am | zu begleichen bis | valuta | zahlungseingang bis
order_number: bestellnummer | bestellnr | bestell nr | ihre bestellung | auftragsnummer | auftragsnr | auftrags nr | auftrag nr
order_number: auftrag | bestellung nr | bestellung | ihre bestellnummer | ihr auftrag | bestell no | ihre bestellnr | best nr
order_number: ihre auftragsnummer | ihre bestell nr | kundenbestellung | bestellreferenz | ihre bestellung nr | auftrags id
supplier: von | lieferant | verkäufer | rechnungssteller | kontoinhaber | absender | aussteller | leistungserbringer | empfänger
supplier: zahlungsempfänger | anbieter | auftragnehmer | begünstigter | inhaber | rechnungsaussteller | verkauft durch
buyer: an | kunde | rechnungsempfänger | rechnungsanschrift | rechnungsadresse | rechnung an | käufer | auftraggeber
buyer: kundenanschrift | leistungsempfänger | besteller | debitor | rechnung für | kundenadresse | herrn | frau | firma
ship: lieferanschrift | lieferadresse | lieferung an | versandadresse | leistungsort | warenempfänger
net: nettobetrag | netto | summe netto | nettosumme | zwischensumme | gesamt netto | warenwert | rechnungsbetrag netto
net: summe ohne mwst | netto betrag | gesamtbetrag netto | nettowert | gesamtnetto | total netto | betrag netto
net: zwischensumme netto | summe (netto) | summe exkl mwst | total exkl mwst | nettogesamtbetrag | summe positionen
net: gesamt (netto) | endbetrag netto | entgelt netto | steuerpflichtiger betrag | bemessungsgrundlage | zwischentotal
net: nettorechnungsbetrag | zwischensumme (netto) | betrag exkl mwst | netto gesamt | summe ohne ust
tax: mwst | ust | umsatzsteuer | mehrwertsteuer | zzgl mwst | zzgl ust | mwst betrag | steuerbetrag | steuer | zuzüglich mwst
tax: zzgl umsatzsteuer | gesetzliche mwst | enthaltene mwst | inkl mwst | darin enthaltene mwst | mwst gesamt | ust betrag
tax: summe mwst | zzgl gesetzl mwst | zuzüglich umsatzsteuer | enthaltene umsatzsteuer | umsatzsteuerbetrag | summe steuern
tax: davon mwst | enthält mwst | zzgl mehrwertsteuer | summe ust | steuern | total mwst | plus mwst | enth mwst | darin mwst
total: gesamtbetrag | rechnungsbetrag | summe | gesamt | gesamtsumme | zu zahlen | zahlbetrag | endbetrag | bruttobetrag
total: brutto | summe brutto | gesamt brutto | total | zu zahlender betrag | endsumme | rechnungssumme | gesamtbetrag brutto
total: rechnungsbetrag brutto | rechnungsendbetrag | fälliger betrag | offener betrag | zahlungsbetrag | betrag
total: gesamtpreis | endbetrag brutto | bruttosumme | total inkl mwst | gesamtbetrag inkl mwst | summe inkl mwst
total: gutschriftsbetrag | summe eur | summe euro | total brutto | gesamtbetrag (brutto) | zu zahlen eur | rechnungstotal
total: gesamt eur | erstattungsbetrag | gesamtbetrag eur | bitte überweisen | totalbetrag | gesamt inkl mwst | gesamt (brutto)
total: summe (brutto) | total eur | total chf | zahlbetrag eur | rechnungsgesamtbetrag | bruttogesamtbetrag | endpreis
paid: gegeben | bar | rückgeld | ec karte | girocard | kartenzahlung | anzahlung | bereits bezahlt | abzgl anzahlung | zurück
paid: kreditkarte | erhalten | bezahlt | geleistete anzahlung | abzüglich anzahlung | visa | mastercard | bargeld | wechselgeld
paid: skontobetrag | abschlagszahlung | bereits gezahlt | barzahlung
discount: rabatt | nachlass | skonto | abzgl rabatt | abzüglich rabatt | preisnachlass | sonderrabatt
shipping: versand | versandkosten | fracht | porto | lieferkosten | porto und verpackung | versandkostenpauschale
carry: übertrag | zwischensumme übertrag | seitensumme | saldovortrag
rounding: rundung | rundungsdifferenz
iban: iban | kontonummer | konto | kto nr | bankverbindung | konto nr | kto | iban nr
bic: bic | swift | blz | bankleitzahl | bank | bankname | kreditinstitut | bic/swift
customer_number: kundennummer | kundennr | kunden nr | ihre kundennummer | debitorennummer | kd nr | mandant | debitor nr
customer_number: ihre kundennr | debitorennr | kunden id | kundenkonto | vertragskonto | kundenreferenz
delivery_date: lieferdatum | leistungsdatum | leistungszeitraum | liefertermin | bestelldatum | auftragsdatum | druckdatum
delivery_date: liefer/leistungsdatum | liefer und leistungsdatum | abrechnungszeitraum | zeitraum | lieferung vom | versanddatum
delivery_date: lieferzeitraum | leistung vom | lieferung am | datum der lieferung | bestellt am | auftrag vom | gültig bis
delivery_date: leistungsmonat | bestellung vom
other: lieferschein | lieferscheinnr | lieferschein nr | lieferscheinnummer | projekt | projektnummer | bearbeiter | seite
other: ihr zeichen | unser zeichen | ansprechpartner | zahlungsbedingungen | zahlungsart | verwendungszweck | sachbearbeiter
other: angebotsnummer | angebot nr | vertragsnummer | vertrag nr | kasse | kassierer | tisch | bediener | filiale | zahlungsweise
other: terminal | terminal id | artikelnummer | artikel nr | steuersatz | referenz | ihre referenz | kostenstelle | markt
other: tse signatur | vorgangsnummer | trace nr | uhrzeit | objekt | bauvorhaben | abteilung | zahlung | es bediente sie | konditionen
other: unsere referenz | lieferbedingung | projekt nr | signaturzähler | seriennummer | mandatsreferenz | gläubiger id | versandart
vat_id: ust idnr | ust id nr | ust id | ustid | ustidnr | umsatzsteuer id | steuernummer | steuer nr | st nr | uid | uid nr
vat_id: mwst nr | umsatzsteuer identifikationsnummer | handelsregister | amtsgericht | hrb | firmenbuchnummer | mwst nummer
vat_id: finanzamt | umsatzsteuer idnr | steuer id | ihre ust idnr | ihre ust id | hra | firmenbuch | geschäftsführer | ust nr
phone: telefon | tel | fax | telefax | e mail | email | mobil | internet | web | fon | rückfragen | hotline | durchwahl
column_position: pos | position | nr | lfd nr
column_description: bezeichnung | beschreibung | artikel | leistung | artikelbezeichnung | produkt | leistungsbeschreibung
column_description: text | ware | gegenstand | tätigkeit | artikelbeschreibung
column_quantity: menge | anzahl | stück | stunden | stk | std | mge | mng
column_unit: einheit | eh | me
column_code: artikelnr | art nr | artikelnummer | artikel nr
column_price: einzelpreis | preis | e preis | stückpreis | ep | stundensatz | satz | je einheit | preis/einheit | einheitspreis
column_price: einzelpreis netto | preis je einheit
column_tax: mwst | ust | mwst % | ust % | steuersatz | steuer | mwst satz | ust satz
column_discount: rabatt | rabatt %
column_amount: betrag | gesamt | summe | gesamtpreis | g preis | gp | netto | gesamtbetrag | nettobetrag | positionssumme | wert
column_amount: total | betrag netto | gesamt netto | gesamtpreis netto
"""
