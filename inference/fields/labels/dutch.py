"""Labels on Dutch invoices and receipts, by what follows them."""

LABELS = """
title: factuur | eindfactuur | deelfactuur | proformafactuur | kassabon | bon | kwitantie | verkoopfactuur | nota
title: rekening | voorschotfactuur | pro forma factuur | termijnfactuur | verzamelfactuur | kasticket | uw factuur
title: aankoopbewijs
credit_title: creditnota | creditfactuur
other_title: offerte | pakbon | orderbevestiging | bestelbon | leverbon | herinnering | aanmaning | inkooporder
invoice_number: factuurnummer | factuurnr | factuur nr | factuur nummer | factuur no | factuur | bonnummer | bonnr
invoice_number: bon nr | nota nummer | notanummer | nota nr | creditnota nr | creditnotanummer | creditnota
invoice_number: factuur # | creditfactuur nr | rekeningnr nota | kwitantienummer | documentnummer | ons factuurnummer
invoice_number: kassabon nr | kwitantie nr | factuurref | creditnummer | creditfactuurnummer | factuurkenmerk
invoice_number: documentnr | ticketnummer | nota | factuurreferentie | creditnota nummer | onze factuur
invoice_number: creditfactuur | transactienummer | factuur id | bon | ticket nr | document nr
weak_number: nummer | nr | no
issue_date: factuurdatum | datum factuur | datum van factuur | opgemaakt op | uitgiftedatum | notadatum
issue_date: datum van uitgifte | factuur van | bondatum | documentdatum | creditnotadatum | datum nota
issue_date: datum creditnota | creditdatum | uitgereikt op | datum van de factuur | verkoopdatum | datum uitgifte
issue_date: gefactureerd op | aankoopdatum | d d
weak_date: datum | van | op
due_date: vervaldatum | te betalen voor | uiterste betaaldatum | betalen voor | vervalt op | betaaldatum
due_date: te voldoen voor | uiterlijk te betalen op | betaal voor | uiterlijk op | uiterlijk | te betalen uiterlijk
due_date: betalen vóór | verval | te voldoen uiterlijk | te betalen vóór | betaling voor | vervaldag
due_date: betalen uiterlijk | gelieve te betalen voor | graag betalen voor | te betalen uiterlijk op | te voldoen vóór
due_date: betaaltermijn tot | uiterste betaaldag | betaling uiterlijk | betaling vóór | te betalen tegen
due_date: betaaldatum uiterlijk | vóór
order_number: bestelnummer | ordernummer | ordernr | uw order | inkoopordernummer | bestelling | order | uw bestelling
order_number: bestelnr | inkooporder | order nr | opdrachtnummer | uw ordernummer | bestelbon nr | uw bestelnummer
order_number: po nummer | uw opdracht | bestelbonnummer | orderreferentie | opdrachtnr | inkoopnummer | bestelling nr
order_number: bestelreferentie | bestelbon
supplier: van | leverancier | verkoper | afzender | rekeninghouder | opdrachtnemer | ten name van | t n v
supplier: begunstigde | facturerende partij | dienstverlener | verkocht door | uitreiker | tnv | op naam van
buyer: factuur aan | klant | aan | factuuradres | koper | afnemer | ontvanger | gefactureerd aan | opdrachtgever
buyer: klantgegevens | factureren aan | debiteur | klantnaam | facturatieadres | adres klant | gericht aan
buyer: factuurgegevens
ship: afleveradres | leveradres | bezorgadres | leveren aan | verzendadres | leveringsadres | bezorgen aan
net: subtotaal | totaal excl btw | nettobedrag | netto | bedrag excl btw | totaal exclusief btw | totaal netto
net: excl btw | totaalbedrag excl btw | bedrag exclusief btw | maatstaf van heffing | netto totaal | som excl btw
net: grondslag | netto bedrag | subtotaal excl btw | exclusief btw | totaal (excl btw) | subtotaal exclusief btw
net: totaal ex btw | totaal vóór btw | belastbaar bedrag | basis btw | btw grondslag | totaal zonder btw
tax: btw | btw bedrag | totaal btw | omzetbelasting | belasting | b t w | bedrag btw | waarvan btw | inclusief btw
tax: plus btw | te betalen btw | btw totaal | totaalbedrag btw | totale btw | verschuldigde btw | inbegrepen btw
tax: belastingbedrag | btw over
total: totaal | totaal incl btw | totaalbedrag | te betalen | totaal te betalen | totaal inclusief btw | te voldoen
total: factuurbedrag | eindtotaal | bedrag incl btw | totaal eur | te betalen bedrag | bruto | totaal bruto
total: totaalbedrag incl btw | factuurtotaal | eindbedrag | totaal factuur | openstaand bedrag | totaal (incl btw)
total: creditbedrag | totaal te voldoen | incl btw | brutobedrag | totaal verschuldigd | verschuldigd bedrag
total: totale prijs | totaal te ontvangen | totaal euro | saldo | bedrag inclusief btw | totaalbedrag inclusief btw
total: te ontvangen | totaal credit | te crediteren bedrag | som | bedrag
paid: contant | pin | wisselgeld | betaald | aanbetaling | reeds betaald | pinbetaling | terug | bankpas | gepind
paid: creditcard | visa | mastercard | voorschot | reeds voldaan | ontvangen | maestro | bancontact | betaald bedrag
paid: voldaan
discount: korting | rabat | betalingskorting | klantkorting
shipping: verzendkosten | porto | bezorgkosten | transport | vrachtkosten | transportkosten
carry: transporteren | transport pagina | over te brengen | overgebracht
rounding: afronding
iban: iban | rekeningnummer | rekening | bankrekening | bankrekeningnummer | rekeningnr | iban nr | iban nummer
bic: bic | swift | bank | bic/swift | bic code
customer_number: klantnummer | klantnr | debiteurnummer | klant nr | debiteurennummer | debiteurnr | relatienummer
customer_number: uw klantnummer | klantcode | klant id | relatienr
delivery_date: leverdatum | orderdatum | besteldatum | datum levering | periode | leveringsdatum | prestatiedatum
delivery_date: geldig tot | datum prestatie | factuurperiode | datum bestelling | verzenddatum | datum van levering
delivery_date: datum uitvoering | datum dienst | facturatieperiode
other: pakbon nr | pakbonnummer | referentie | uw referentie | onze referentie | kenmerk | uw kenmerk
other: betalingskenmerk | pagina | betalingstermijn | betaalwijze | betalingscondities | offertenummer | project
other: projectnummer | contactpersoon | kassa | kassier | tafel | terminal | filiaal | betalingsvoorwaarden
other: betaalmethode | contractnummer | behandeld door | medewerker | t a v | ons kenmerk | betreft | tijd
other: leverbonnr | kostenplaats | artikelnr | bediend door | transactie | mededeling | leverbon | autorisatie
other: contract | verkoper nr | kassamedewerker | winkel | voorwaarden | omschrijving betaling | betreffende
vat_id: btw nummer | btw nr | kvk | kvk nummer | kvk nr | btw id | btw identificatienummer | ondernemingsnummer
vat_id: kamer van koophandel | uw btw nummer | btw nummer klant | rpr | btw identificatienr | kvknummer
phone: telefoon | tel | fax | email | e mail | website | mobiel | web | internet
column_position: pos | regel | nr
column_description: omschrijving | artikel | product | dienst | beschrijving | omschrijving artikel | werkzaamheden
column_description: specificatie
column_quantity: aantal | uren | hoeveelheid | stuks | aant | st
column_unit: eenheid | ehd
column_code: artikelnr | code | artikelnummer | art nr
column_price: prijs | stuksprijs | eenheidsprijs | tarief | prijs per stuk | uurtarief | prijs/eenheid | per stuk
column_price: stukprijs
column_tax: btw | btw % | btw tarief | % btw
column_discount: korting | korting %
column_amount: bedrag | totaal | regeltotaal | totaalprijs | bedrag excl btw | netto | subtotaal | som | waarde
column_amount: totaal excl btw
"""
