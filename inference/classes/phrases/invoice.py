"""Phrases of invoices, bills and receipts."""

from inference.classes.phrases.evidence import Evidence

EVIDENCE = (
    Evidence(
        "invoice_title",
        "title",
        "invoice | invoices | invoice no | tax invoice | pro forma | proforma | bill | your bill | receipt"
        " | sales receipt | credit note | credit memo | payment reminder | *rechnung | rechnung nr | rechnungs*"
        " | quittung | kassenbon | kassenbeleg | barbeleg | gutschrift | zahlungserinnerung | mahnung | beleg"
        " | bon | facture | factura | fattura | factuur | ricevuta | recu | recibo | statement"
        " | account statement | bill no | reminder | final bill | utility bill | *liquidation | honorarnote"
        " | *bescheid | faktura | kassenzettel | abrechnung | gebuhrenbescheid | nota | note d honoraires"
        " | ticket",
    ),
    Evidence(
        "invoice_number",
        "text",
        "invoice number | invoice no | invoice date | invoice id | inv no | receipt no | receipt number"
        " | this invoice | your invoice | bill number | bill no | bill date | billing period | billing date"
        " | bill to | billed to | invoice to | invoiced to | sold to | ship to | billing address | statement date"
        " | customer no | customer number | order no | order number | purchase order | po number | po no"
        " | rechnungsnummer | rechnungsnr | rechnungs nr | rechnung nr | rechnungsdatum | re nr | belegnummer"
        " | belegnr | beleg nr | bon nr | diese rechnung | rechnung vom | rechnungsempfanger | rechnungsanschrift"
        " | rechnungsadresse | abrechnungszeitraum | leistungszeitraum | leistungsdatum | lieferdatum"
        " | kundennummer | kundennr | kunden nr | auftragsnummer | auftragsnr | bestellnummer | bestellnr"
        " | lieferschein* | numero de facture | facture no | date de facture | numero de factura | factura no"
        " | fecha de factura | numero fattura | fattura n | data fattura | factuurnummer | factuurdatum"
        " | statement number | our invoice | invoice total | tax point | date of supply | date of issue | issued"
        " | ticket no | cashier | register | till | kasse | kassierer | es bediente sie | belegdatum | liefertag"
        " | kassenzeichen | ihre rechnung | unsere rechnung | buchungszeichen | verbrauchsstelle | meter reading"
        " | zahlerstand | opening balance",
    ),
    Evidence(
        "invoice_total",
        "text",
        "subtotal | sub total | amount due | total due | balance due | grand total | net amount | gross amount"
        " | total amount | total net | net total | total gross | total incl | total excl | total payable"
        " | amount payable | balance payable | total to pay | to pay | amount owing | total charges | new charges"
        " | previous balance | zwischensumme | gesamtbetrag | nettobetrag | bruttobetrag | rechnungsbetrag"
        " | zahlbetrag | endbetrag | zu zahlen | zu zahlender | summe netto | summe brutto | netto | brutto"
        " | gesamtsumme | endsumme | warenwert | rechnungssumme | offener betrag | total ttc | total ht"
        " | sous total | montant | net a payer | a payer | importe total | total a pagar | base imponible"
        " | imponibile | totale | da pagare | subtotaal | totaalbedrag | te betalen | totaal | amount outstanding"
        " | outstanding balance | amount | outstanding | total charge | total cost | total price | net price"
        " | net | gross | fees | charges | carried forward | brought forward | paid in full | payment received"
        " | deposit paid | less deposit | abschlag | abzuglich | restbetrag | anzahlung | ubertrag | fallbetrag"
        " | jahresbetrag | gesamt | grundpreis | grundgebuhr | gebuhr | gebuhren | entgelt | verbrauch",
    ),
    Evidence(
        "invoice_sum",
        "label",
        "total | sum | summe | gesamt | total eur | total usd | total gbp | summe eur | balance | discount | rabatt"
        " | shipping | versand | versandkosten | freight | fracht | porto",
    ),
    Evidence(
        "invoice_tax",
        "text",
        "vat | gst | sales tax | mwst | ust | umsatzsteuer | mehrwertsteuer | zzgl | vat no | vat reg | vat id"
        " | vat number | tax rate | tax amount | reverse charge | ust id | ust idnr | ust id nr | umsatzsteuer id"
        " | steuernummer | steuer nr | st nr | steuersatz | kleinunternehmer* | ustg | tva | iva | btw | abn | ein",
    ),
    Evidence(
        "invoice_columns",
        "text",
        "unit price | price per unit | price each | unit cost | rate | qty | quantity | line total | item | items"
        " | description amount | hours rate | item no | article no | hourly rate | sku | einzelpreis | stuckpreis"
        " | gesamtpreis | menge | anzahl | e preis | preis eur | ep | gp | bezeichnung | artikelnr | artikelnummer"
        " | art nr | stundensatz | stuck | stk | pos | betrag eur | prix unitaire | quantite | precio unitario"
        " | cantidad | prezzo unitario | quantita | stuksprijs | aantal",
        2,
    ),
    Evidence(
        "invoice_payment",
        "text",
        "payment terms | terms of payment | payable within | please pay | pay by | payment due | due date"
        " | due on | due upon receipt | upon receipt | net 30 | net 14 | within 30 days | within 14 days"
        " | bank transfer | wire transfer | remit | remittance | remit to | make checks payable | cheques payable"
        " | payable to | payment method | paid by | paid with | card ending | mastercard | visa | cash"
        " | late payment | late fee | account number | account no | sort code | routing number | direct debit"
        " | thank you for your business | thank you for your purchase | thank you for your order | iban | bic"
        " | swift | bankverbindung | zahlungsziel | zahlbar | zahlbar bis | ohne abzug | skonto | uberweisen sie"
        " | uberweisung | fallig am | fallig bis | falligkeit | zahlungsbedingungen | verwendungszweck"
        " | zahlungseingang | bar bezahlt | bar | ec karte | girocard | kartenzahlung | ruckgeld | gegeben"
        " | eigentumsvorbehalt | vielen dank fur ihren einkauf | wir danken fur ihren auftrag | erlauben wir uns"
        " | berechnen wir | stellen wir ihnen | in rechnung | reglement | echeance | virement | vencimiento"
        " | forma de pago | transferencia | scadenza | pagamento | bonifico | betalingstermijn | vervaldatum"
        " | standing order | credit card | debit card | paypal | paid | payment received | cash payment"
        " | sofort fallig | rein netto | dankend erhalten | betrag erhalten | abgebucht | buchen wir | einzug"
        " | kontoinhaber | bank details | bank account | payment reference | reference number | returns within"
        " | please quote | bitte angeben | bei zahlung",
        2,
    ),
)
