"""Labels on Dutch invoices and receipts, by what follows them."""

LABELS = """
title: factuur | eindfactuur | deelfactuur | proformafactuur | kassabon | bon | kwitantie | verkoopfactuur | nota | rekening
title: voorschotfactuur | pro forma factuur | termijnfactuur | verzamelfactuur | kasticket | uw factuur | aankoopbewijs
credit_title: creditnota | creditfactuur
other_title: offerte | pakbon | orderbevestiging | bestelbon | leverbon | herinnering | aanmaning | inkooporder
invoice_number: factuurnummer | factuurnr | factuur nr | factuur nummer | factuur no | factuur | bonnummer | bonnr | bon nr
invoice_number: nota nummer | notanummer | nota nr | creditnota nr | creditnotanummer | creditnota | factuur # | creditfactuur nr
invoice_number: rekeningnr nota | kwitantienummer | documentnummer | ons factuurnummer | kassabon nr | kwitantie nr | factuurref
invoice_number: creditnummer | creditfactuurnummer | factuurkenmerk | documentnr | ticketnummer | nota | factuurreferentie
invoice_number: creditnota nummer | onze factuur | creditfactuur | transactienummer | factuur id | bon | ticket nr | document nr
weak_number: nummer | nr | no
issue_date: factuurdatum | datum factuur | datum van factuur | opgemaakt op | uitgiftedatum | notadatum | datum van uitgifte
issue_date: factuur van | bondatum | documentdatum | creditnotadatum | datum nota | datum creditnota | creditdatum | uitgereikt op
issue_date: datum van de factuur | verkoopdatum | datum uitgifte | gefactureerd op | aankoopdatum | d d
weak_date: datum | van | op
due_date: vervaldatum | te betalen voor | uiterste betaaldatum | betalen voor | vervalt op | betaaldatum | te voldoen voor
due_date: uiterlijk te betalen op | betaal voor | uiterlijk op | uiterlijk | te betalen uiterlijk | betalen vóór | verval
due_date: te voldoen uiterlijk | te betalen vóór | betaling voor | vervaldag | betalen uiterlijk | gelieve te betalen voor
due_date: graag betalen voor | te betalen uiterlijk op | te voldoen vóór | betaaltermijn tot | uiterste betaaldag | betaling uiterlijk
due_date: betaling vóór | te betalen tegen | betaaldatum uiterlijk | vóór
order_number: bestelnummer | ordernummer | ordernr | uw order | inkoopordernummer | bestelling | order | uw bestelling | bestelnr
order_number: inkooporder | order nr | opdrachtnummer | uw ordernummer | bestelbon nr | uw bestelnummer | po nummer | uw opdracht
order_number: bestelbonnummer | orderreferentie | opdrachtnr | inkoopnummer | bestelling nr | bestelreferentie | bestelbon
supplier: van | leverancier | verkoper | afzender | rekeninghouder | opdrachtnemer | ten name van | t n v | begunstigde
supplier: facturerende partij | dienstverlener | verkocht door | uitreiker | tnv | op naam van
buyer: factuur aan | klant | aan | factuuradres | koper | afnemer | ontvanger | gefactureerd aan | opdrachtgever | klantgegevens
buyer: factureren aan | debiteur | klantnaam | facturatieadres | adres klant | gericht aan | factuurgegevens
ship: afleveradres | leveradres | bezorgadres | leveren aan | verzendadres | leveringsadres | bezorgen aan
net: subtotaal | totaal excl btw | nettobedrag | netto | bedrag excl btw | totaal exclusief btw | totaal netto | excl btw
net: totaalbedrag excl btw | bedrag exclusief btw | maatstaf van heffing | netto totaal | som excl btw | grondslag | netto bedrag
net: subtotaal excl btw | exclusief btw | totaal (excl btw) | subtotaal exclusief btw | totaal ex btw | totaal vóór btw
net: belastbaar bedrag | basis btw | btw grondslag | totaal zonder btw
tax: btw | btw bedrag | totaal btw | omzetbelasting | belasting | b t w | bedrag btw | waarvan btw | inclusief btw | plus btw
tax: te betalen btw | btw totaal | totaalbedrag btw | totale btw | verschuldigde btw | inbegrepen btw | belastingbedrag | btw over
total: totaal | totaal incl btw | totaalbedrag | te betalen | totaal te betalen | totaal inclusief btw | te voldoen | factuurbedrag
total: eindtotaal | bedrag incl btw | totaal eur | te betalen bedrag | bruto | totaal bruto | totaalbedrag incl btw | factuurtotaal
total: eindbedrag | totaal factuur | openstaand bedrag | totaal (incl btw) | creditbedrag | totaal te voldoen | incl btw
total: brutobedrag | totaal verschuldigd | verschuldigd bedrag | totale prijs | totaal te ontvangen | totaal euro | saldo
total: bedrag inclusief btw | totaalbedrag inclusief btw | te ontvangen | totaal credit | te crediteren bedrag | som | bedrag
paid: contant | pin | wisselgeld | betaald | aanbetaling | reeds betaald | pinbetaling | terug | bankpas | gepind | creditcard
paid: visa | mastercard | voorschot | reeds voldaan | ontvangen | maestro | bancontact | betaald bedrag | voldaan
discount: korting | rabat | betalingskorting | klantkorting
shipping: verzendkosten | porto | bezorgkosten | transport | vrachtkosten | transportkosten
carry: transporteren | transport pagina | over te brengen | overgebracht
rounding: afronding
iban: iban | rekeningnummer | rekening | bankrekening | bankrekeningnummer | rekeningnr | iban nr | iban nummer
bic: bic | swift | bank | bic/swift | bic code
customer_number: klantnummer | klantnr | debiteurnummer | klant nr | debiteurennummer | debiteurnr | relatienummer | uw klantnummer
customer_number: klantcode | klant id | relatienr
delivery_date: leverdatum | orderdatum | besteldatum | datum levering | periode | leveringsdatum | prestatiedatum | geldig tot
delivery_date: datum prestatie | factuurperiode | datum bestelling | verzenddatum | datum van levering | datum uitvoering
delivery_date: datum dienst | facturatieperiode
other: pakbon nr | pakbonnummer | referentie | uw referentie | onze referentie | kenmerk | uw kenmerk | betalingskenmerk | pagina
other: betalingstermijn | betaalwijze | betalingscondities | offertenummer | project | projectnummer | contactpersoon | kassa
other: kassier | tafel | terminal | filiaal | betalingsvoorwaarden | betaalmethode | contractnummer | behandeld door | medewerker
other: t a v | ons kenmerk | betreft | tijd | leverbonnr | kostenplaats | artikelnr | bediend door | transactie | mededeling | leverbon
other: autorisatie | contract | verkoper nr | kassamedewerker | winkel | voorwaarden | omschrijving betaling | betreffende
vat_id: btw nummer | btw nr | kvk | kvk nummer | kvk nr | btw id | btw identificatienummer | ondernemingsnummer
vat_id: kamer van koophandel | uw btw nummer | btw nummer klant | rpr | btw identificatienr | kvknummer
phone: telefoon | tel | fax | email | e mail | website | mobiel | web | internet
column_position: pos | regel | nr
column_description: omschrijving | artikel | product | dienst | beschrijving | omschrijving artikel | werkzaamheden | specificatie
column_quantity: aantal | uren | hoeveelheid | stuks | aant | st
column_unit: eenheid | ehd
column_code: artikelnr | code | artikelnummer | art nr
column_price: prijs | stuksprijs | eenheidsprijs | tarief | prijs per stuk | uurtarief | prijs/eenheid | per stuk | stukprijs
column_tax: btw | btw % | btw tarief | % btw
column_discount: korting | korting %
column_amount: bedrag | totaal | regeltotaal | totaalprijs | bedrag excl btw | netto | subtotaal | som | waarde | totaal excl btw
"""
