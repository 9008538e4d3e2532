"""Labels on Italian invoices and receipts, by what follows them."""

LABELS = """
title: fattura | fattura proforma | ricevuta | ricevuta fiscale | scontrino | documento commerciale | parcella | fattura immediata
title: fattura differita | scontrino fiscale | fattura accompagnatoria | nota onorari | fattura di cortesia | fattura di vendita
credit_title: nota di credito | nota di accredito | storno fattura
other_title: preventivo | documento di trasporto | ordine | conferma d'ordine | conferma ordine | sollecito | offerta
invoice_number: fattura n | fattura nr | numero fattura | n fattura | fattura numero | num fattura | fattura no | fattura
invoice_number: numero documento | n documento | nr fattura | documento n | ricevuta n | nota di credito n | scontrino n
invoice_number: numero di fattura | documento numero | numero ricevuta | n ricevuta | nr documento | rif fattura | parcella n
invoice_number: numero nota di credito | nota di credito nr | nota di credito | fatt n | n scontrino | doc n | n doc | numero scontrino
invoice_number: nota di credito numero | nostra fattura | codice fattura | documento nr | riferimento fattura | n nota di credito
invoice_number: n di fattura | num documento | identificativo fattura | numero del documento | ricevuta nr
weak_number: numero | n | nr | num | documento
issue_date: data fattura | data di fattura | data emissione | data di emissione | emessa il | data documento | data della fattura
issue_date: fattura del | data del documento | del | emesso il | data nota di credito | data ricevuta | data fatturazione
issue_date: data di fatturazione | data acquisto | in data | data scontrino | data vendita | data della nota | data di rilascio
weak_date: data | il | lì
due_date: scadenza | data scadenza | data di scadenza | scadenza pagamento | pagare entro il | da pagare entro il | entro il
due_date: pagamento entro il | scade il | scadenze | da pagare entro | pagamento entro | pagabile entro il | termine di pagamento
due_date: scadenza il | da saldare entro il | data pagamento | pagamento il | da corrispondere entro il | saldo entro il
due_date: termine pagamento | da versare entro il | scad | data di pagamento
order_number: ordine n | ordine nr | numero ordine | n ordine | vostro ordine | vs ordine | ordine | rif ordine | ordine d'acquisto
order_number: numero d'ordine | ordine di acquisto | ordine numero | nr ordine | vs ordine n | vostro ordine n | riferimento ordine
order_number: ordine cliente | num ordine | ordine di acquisto n | codice ordine | n d'ordine | vs ord n | numero ordine cliente
supplier: fornitore | venditore | emittente | cedente | cedente/prestatore | da | mittente | intestatario | beneficiario | prestatore
supplier: intestato a | intestatario conto | cedente prestatore | dati fornitore | ditta emittente | venduto da
buyer: cliente | destinatario | spett le | spettabile | spett | fatturare a | cessionario | acquirente | intestatario fattura
buyer: cessionario/committente | committente | dati cliente | indirizzo di fatturazione | intestata a | fatturato a | a
buyer: fattura a | cessionario committente | egregio | gent | egr sig | ragione sociale cliente | indirizzo fatturazione
ship: destinazione | luogo di consegna | indirizzo di consegna | destinazione merce | indirizzo di spedizione | consegna a
net: imponibile | totale imponibile | subtotale | importo netto | netto | totale netto | totale merce | base imponibile
net: totale senza iva | importo imponibile | totale iva esclusa | totale al netto iva | sub totale | imponibile totale
net: totale (iva esclusa) | somma netta | totale parziale | importo senza iva | totale prima delle imposte | imponibile netto
tax: iva | imposta | importo iva | totale iva | i v a | totale imposta | di cui iva | iva totale | imposte | totale imposte
tax: ammontare iva | iva inclusa | iva compresa | più iva | importo imposta | iva al | imposta iva | importo dell'iva
total: totale | totale fattura | totale documento | totale da pagare | netto a pagare | importo totale | totale complessivo
total: totale a pagare | da pagare | totale ivato | totale eur | totale euro | totale iva inclusa | importo da pagare | totale dovuto
total: totale generale | importo dovuto | totale con iva | totale lordo | saldo da pagare | totale nota di credito | totale importo
total: totale (iva inclusa) | saldo dovuto | importo a pagare | importo fattura | totale compreso iva | totale del documento
total: importo complessivo | totale della fattura | tot fattura | tot documento | importo totale da pagare | somma da pagare
total: totale da rimborsare | totale comprensivo di iva
paid: contanti | contante | resto | carta | bancomat | pagato | acconto | pagamento elettronico | già pagato | importo pagato
paid: pagamento contante | carta di credito | acconto versato | visa | mastercard | non riscosso | acconto ricevuto | resto dato
discount: sconto | abbuono | ribasso | sconto commerciale | sconto incondizionato
shipping: spese di trasporto | trasporto | spese di spedizione | spedizione | spese accessorie | spese di consegna
carry: riporto | a riportare | da riportare
rounding: arrotondamento
iban: iban | conto corrente | c c | coordinate bancarie | codice iban | conto | c/c
bic: bic | swift | banca | abi | cab | banca d'appoggio | istituto bancario | bic/swift
customer_number: codice cliente | cod cliente | numero cliente | n cliente | cliente n | rif cliente | id cliente | nr cliente
delivery_date: data consegna | data ordine | data di consegna | data ddt | periodo | data trasporto | data dell'ordine
delivery_date: data spedizione | valido fino al | periodo di riferimento | data intervento | data di spedizione | data prestazione
delivery_date: ordine del | data dell'ordine di acquisto | periodo di fatturazione
other: ddt n | ddt | riferimento | vs riferimento | ns riferimento | modalità di pagamento | condizioni di pagamento | pagina
other: metodo di pagamento | pagamento | preventivo n | progetto | agente | commessa | causale | cassa | operatore | tavolo
other: cassiere | terminale | punto vendita | contratto n | banca appoggio | rif | vs rif | ns rif | coperti | ora | referente
other: numero contratto | transazione | codice articolo | ddt nr | causale pagamento | cantiere | vettore | porto | cameriere | rt
vat_id: partita iva | p iva | p i | codice fiscale | c f | cf | rea | cod fisc | capitale sociale | registro imprese | piva
vat_id: numero partita iva | codice destinatario | sdi | pec | codice sdi | c f/p iva | numero iva | partita iva/cf | vat
phone: telefono | tel | fax | email | e mail | sito | cell | cellulare | web | sito web | mail
column_position: pos | riga | n
column_description: descrizione | articolo | prodotto | servizio | voce | prestazione | descrizione articolo | oggetto | dettaglio
column_quantity: quantità | q tà | qta | ore | pezzi | q ta | qtà | pz | nr pezzi
column_unit: unità | um | u m | unità di misura
column_code: codice | cod | rif
column_price: prezzo unitario | prezzo | prezzo unit | tariffa | costo unitario | p unitario | prezzo un | prezzo cad | costo
column_tax: iva | iva % | aliquota | aliquota iva | % iva | al iva | cod iva
column_discount: sconto | sc % | sconto %
column_amount: importo | totale | importo netto | prezzo totale | totale riga | imponibile | netto | valore
"""
