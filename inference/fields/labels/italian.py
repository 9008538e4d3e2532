"""Labels on Italian invoices and receipts, by what follows them."""

LABELS = """
title: fattura | fattura proforma | ricevuta | ricevuta fiscale | scontrino | documento commerciale | parcella
title: fattura immediata | fattura differita | scontrino fiscale | fattura accompagnatoria | nota onorari
title: bolletta | la tua bolletta
title: fattura di cortesia | fattura di vendita
credit_title: nota di credito | nota di accredito | storno fattura
other_title: preventivo | documento di trasporto | ordine | conferma d'ordine | conferma ordine | sollecito | offerta
invoice_number: bolletta n | numero bolletta | n bolletta
invoice_number: fattura n | fattura nr | numero fattura | n fattura | fattura numero | num fattura | fattura no
invoice_number: fattura | numero documento | n documento | nr fattura | documento n | ricevuta n | nota di credito n
invoice_number: scontrino n | numero di fattura | documento numero | numero ricevuta | n ricevuta | nr documento
invoice_number: rif fattura | parcella n | numero nota di credito | nota di credito nr | nota di credito | fatt n
invoice_number: n scontrino | doc n | n doc | numero scontrino | nota di credito numero | nostra fattura
invoice_number: codice fattura | documento nr | riferimento fattura | n nota di credito | n di fattura | num documento
invoice_number: identificativo fattura | numero del documento | ricevuta nr
weak_number: numero | n | nr | num | documento
issue_date: data fattura | data di fattura | data emissione | data di emissione | emessa il | data documento
issue_date: data della fattura | fattura del | data del documento | del | emesso il | data nota di credito
issue_date: data ricevuta | data fatturazione | data di fatturazione | data acquisto | in data | data scontrino
issue_date: data vendita | data della nota | data di rilascio
weak_date: data | il | lì
due_date: scadenza | data scadenza | data di scadenza | scadenza pagamento | pagare entro il | da pagare entro il
due_date: entro il | pagamento entro il | scade il | scadenze | da pagare entro | pagamento entro | pagabile entro il
due_date: termine di pagamento | scadenza il | da saldare entro il | data pagamento | pagamento il
due_date: da corrispondere entro il | saldo entro il | termine pagamento | da versare entro il | scad
due_date: data di pagamento
order_number: ordine n | ordine nr | numero ordine | n ordine | vostro ordine | vs ordine | ordine | rif ordine
order_number: ordine d'acquisto | numero d'ordine | ordine di acquisto | ordine numero | nr ordine | vs ordine n
order_number: vostro ordine n | riferimento ordine | ordine cliente | num ordine | ordine di acquisto n
order_number: codice ordine | n d'ordine | vs ord n | numero ordine cliente
supplier: fornitore | venditore | emittente | cedente | cedente/prestatore | da | mittente | intestatario
supplier: beneficiario | prestatore | intestato a | intestatario conto | cedente prestatore | dati fornitore
supplier: ditta emittente | venduto da
buyer: cliente | destinatario | spett le | spettabile | spett | fatturare a | cessionario | acquirente
buyer: intestatario fattura | cessionario/committente | committente | dati cliente | indirizzo di fatturazione
buyer: intestata a | fatturato a | a | fattura a | cessionario committente | egregio | gent | egr sig
buyer: ragione sociale cliente | indirizzo fatturazione
ship: destinazione | luogo di consegna | indirizzo di consegna | destinazione merce | indirizzo di spedizione
ship: consegna a
net: imponibile | totale imponibile | subtotale | importo netto | netto | totale netto | totale merce
net: base imponibile | totale senza iva | importo imponibile | totale iva esclusa | totale al netto iva | sub totale
net: imponibile totale | totale (iva esclusa) | somma netta | totale parziale | importo senza iva
net: totale prima delle imposte | imponibile netto
tax: iva | imposta | importo iva | totale iva | i v a | totale imposta | di cui iva | iva totale | imposte
tax: totale imposte | ammontare iva | iva inclusa | iva compresa | più iva | importo imposta | iva al | imposta iva
tax: importo dell'iva
total: totale bolletta | importo bolletta | totale da pagare
total: totale | totale fattura | totale documento | totale da pagare | netto a pagare | importo totale
total: totale complessivo | totale a pagare | da pagare | totale ivato | totale eur | totale euro | totale iva inclusa
total: importo da pagare | totale dovuto | totale generale | importo dovuto | totale con iva | totale lordo
total: saldo da pagare | totale nota di credito | totale importo | totale (iva inclusa) | saldo dovuto
total: importo a pagare | importo fattura | totale compreso iva | totale del documento | importo complessivo
total: totale della fattura | tot fattura | tot documento | importo totale da pagare | somma da pagare
total: totale da rimborsare | totale comprensivo di iva
paid: contanti | contante | resto | carta | bancomat | pagato | acconto | pagamento elettronico | già pagato
paid: importo pagato | pagamento contante | carta di credito | acconto versato | visa | mastercard | non riscosso
paid: acconto ricevuto | resto dato
withheld: ritenuta | ritenuta d'acconto
discount: sconto | abbuono | ribasso | sconto commerciale | sconto incondizionato
shipping: spese di trasporto | trasporto | spese di spedizione | spedizione | spese accessorie | spese di consegna
carry: riporto | a riportare | da riportare
rounding: arrotondamento
iban: iban | conto corrente | c c | coordinate bancarie | codice iban | conto | c/c
bic: bic | swift | banca | abi | cab | banca d'appoggio | istituto bancario | bic/swift
customer_number: codice cliente | cod cliente | numero cliente | n cliente | cliente n | rif cliente | id cliente
customer_number: nr cliente
delivery_date: data consegna | data ordine | data di consegna | data ddt | periodo | data trasporto | data dell'ordine
delivery_date: data spedizione | valido fino al | periodo di riferimento | data intervento | data di spedizione
delivery_date: data prestazione | ordine del | data dell'ordine di acquisto | periodo di fatturazione
other: ddt n | ddt | riferimento | vs riferimento | ns riferimento | modalità di pagamento | condizioni di pagamento
other: pagina | metodo di pagamento | pagamento | preventivo n | progetto | agente | commessa | causale | cassa
other: operatore | tavolo | cassiere | terminale | punto vendita | contratto n | banca appoggio | rif | vs rif
other: ns rif | coperti | ora | referente | numero contratto | transazione | codice articolo | ddt nr
other: causale pagamento | cantiere | vettore | porto | cameriere | rt
vat_id: partita iva | p iva | p i | codice fiscale | c f | cf | rea | cod fisc | capitale sociale | registro imprese
vat_id: piva | numero partita iva | codice destinatario | sdi | pec | codice sdi | c f/p iva | numero iva
vat_id: partita iva/cf | vat
phone: telefono | tel | fax | email | e mail | sito | cell | cellulare | web | sito web | mail
column_position: pos | riga | n
column_description: descrizione | articolo | prodotto | servizio | voce | prestazione | descrizione articolo | oggetto
column_description: dettaglio
column_quantity: quantità | q tà | qta | ore | pezzi | q ta | qtà | pz | nr pezzi
column_unit: unità | um | u m | unità di misura
column_code: codice | cod | rif
column_price: prezzo unitario | prezzo | prezzo unit | tariffa | costo unitario | p unitario | prezzo un | prezzo cad
column_price: costo
column_tax: iva | iva % | aliquota | aliquota iva | % iva | al iva | cod iva
column_discount: sconto | sc % | sconto %
column_amount: importo | totale | importo netto | prezzo totale | totale riga | imponibile | netto | valore
"""
