"""Words of invoices and receipts in six languages. Every second entry of a long list is for one half of the templates."""

from tests.benchmarks.documents.wording.sentences import Table, half_of, read_table

_ENGLISH = """title: Invoice | INVOICE | Tax Invoice | Sales Invoice | VAT Invoice | Bill
credit: Credit Note | CREDIT NOTE | Credit Memo | Credit note
receipt: Receipt | RECEIPT | Sales Receipt | Cash receipt
number: Invoice no. | Invoice number | Invoice # | Invoice No | Inv. no. | Invoice ID | Document no. | Our invoice
credit_number: Credit note no. | Credit note number
receipt_number: Receipt no. | Receipt number | Ticket no. | Transaction no.
issued: Invoice date | Date of issue | Date | Issue date | Date of invoice | Issued on | Tax point | Billing date
due: Due date | Payment due | Pay by | Due | Payment due by | Date due | Please pay by | Due on
order: Order no. | Purchase order | PO number | Your order | PO no. | Order number | Your order no. | Order ref.
customer: Customer no. | Customer ID | Account ref. | Client no.
delivered: Delivery date | Date of supply | Order date | Ship date
note: Delivery note | Project no. | Our ref. | Contract no.
seller: From | Seller | Supplier | Billed by | Issued by | Vendor
buyer: Bill to | Invoice to | Customer | Billed to | Sold to | Client
ship: Ship to | Deliver to | Delivery address | Shipping address
subtotal: Subtotal | Goods total | Sum of items | Sub-total
net: Net amount | Total excl. VAT | Subtotal | Net total | Total net | Total before tax | Net | Taxable amount
tax: VAT | VAT amount | Plus VAT | Total VAT | Value added tax | Tax
total: Total | Total due | Amount due | Grand total | Total incl. VAT | Invoice total | Balance due | Total amount
discount: Discount | Trade discount
shipping: Shipping | Freight
paid: Paid | Less deposit
rate: Rate | VAT rate
holder: Account name | Payee
bank: Bank of {city} | {city} Savings Bank
vat_no: VAT no. | VAT Reg. No. | VAT number | VAT ID
item: Item | Description | Article | Service | Product | Details
quantity: Qty | Quantity | Units | Pcs
price: Unit price | Price | Rate | Price each
amount: Amount | Total | Line total | Net amount
firm: Northgate Ltd | Harbor & Sons Ltd | Bluefield Inc. | Keller Trading LLC | Aldermoor Group plc | Fenwick Supplies Ltd | Tessel LLC | Pinewood Services Ltd | Quarry Lane Works Ltd | Ostara Software Ltd | Brightwell Energy plc | Larkspur Media LLP
person: Anna Miller | Peter Carter | Ruth Bennett | Oliver Novak
street: {small}{small} Mill Road | {small} Church Lane | {small}7 Park Row | {small}0 Kings Court
city: Bristol | Leeds | Dover | Oxford | Halifax | Cardiff | Norwich | Salem
thing: Desk lamp | Filing cabinet | Copper pipe | Paper roll | Garden chair | Safety gloves | Water filter | Storage box | Office cleaning | Heating repair | Delivery and assembly | Annual inspection | Printer cartridge | Oak board
thanks: Thank you for your order. | We thank you for your business and charge as follows. | Please quote the invoice number with your payment. | Thank you for choosing us.
terms: Payable within 14 days without deduction. | Please pay within 30 days. | Payment terms: 30 days net. | Late payments bear interest of 5 percent a year.
attention: Attn. {person}
page: Page {n} of {of}
carry: Carried forward
cash: Cash | Card payment
change: Change
phone: Tel. | Phone
month: January | February | March | April | May | June | July | August | September | October | November | December"""

_GERMAN = """title: Rechnung | RECHNUNG | Schlussrechnung | Ihre Rechnung | Sammelrechnung | Honorarrechnung
credit: Gutschrift | Rechnungskorrektur | GUTSCHRIFT | Stornorechnung
receipt: Kassenbon | Quittung | Kassenbeleg | Beleg
number: Rechnungsnummer | Rechnungs-Nr. | Rechnungsnr. | Rechnung Nr. | Re.-Nr. | Belegnummer | Beleg-Nr. | RG-Nr.
credit_number: Gutschrift Nr. | Gutschriftsnummer
receipt_number: Bon-Nr. | Beleg-Nr. | Belegnummer | Bonnummer
issued: Rechnungsdatum | Datum | Ausstellungsdatum | Belegdatum | Ausgestellt am | Rechnung vom | Fakturadatum | Erstellt am
due: Fällig am | Zahlbar bis | Fälligkeit | Zahlungsziel | Fälligkeitsdatum | Zu zahlen bis | Zahlung bis | Fällig bis
order: Bestellnummer | Auftragsnummer | Ihre Bestellung | Auftrags-Nr. | Bestell-Nr. | Ihr Auftrag | Bestellung Nr. | Auftragsnr.
customer: Kundennummer | Kunden-Nr. | Kd.-Nr. | Ihre Kundennummer
delivered: Lieferdatum | Leistungsdatum | Bestelldatum | Leistungszeitraum bis
note: Lieferschein | Projektnummer | Unser Zeichen | Vertragsnummer
seller: Lieferant | Verkäufer | Rechnungssteller | Absender | Aussteller | Anbieter
buyer: Rechnungsempfänger | Rechnung an | Kunde | Rechnungsadresse | Rechnungsanschrift | Käufer
ship: Lieferadresse | Lieferanschrift | Lieferung an | Versandadresse
subtotal: Zwischensumme | Warenwert | Summe Positionen | Positionen gesamt
net: Nettobetrag | Summe netto | Netto | Gesamt netto | Nettosumme | Zwischensumme netto | Gesamtbetrag netto | Rechnungsbetrag netto
tax: MwSt. | Umsatzsteuer | USt. | zzgl. MwSt. | Mehrwertsteuer | zzgl. USt.
total: Gesamtbetrag | Rechnungsbetrag | Gesamtsumme | Zu zahlen | Endbetrag | Summe brutto | Bruttobetrag | Zahlbetrag
discount: Rabatt | Nachlass
shipping: Versandkosten | Fracht
paid: Anzahlung | Bereits bezahlt
rate: Satz | Steuersatz
holder: Kontoinhaber | Inhaber
bank: Sparkasse {city} | Volksbank {city}
vat_no: USt-IdNr. | USt-ID | Ust.-Id.-Nr. | UID
item: Bezeichnung | Beschreibung | Artikel | Leistung | Artikelbezeichnung | Produkt
quantity: Menge | Anzahl | Stück | Stk.
price: Einzelpreis | Preis | E-Preis | Stückpreis
amount: Betrag | Gesamt | Gesamtpreis | Summe
firm: Nordtor Handel GmbH | Hafner & Söhne KG | Blaufeld AG | Keller Technik GmbH | Altmoor Gruppe AG | Fennwick Bedarf GmbH | Tessel Software GmbH | Kieferwald Dienste GmbH | Steinbruch Werke KG | Ostara Medien GmbH | Hellbrunn Energie AG | Lerchen Verlag OHG
person: Anna Müller | Peter Wagner | Ruth Becker | Jonas Keller
street: Mühlenweg {small} | Kirchgasse {small}2 | Am Markt {small} | Hafenstraße {small}{small}
city: Hamburg | Köln | Bremen | Leipzig | Freiburg | Ulm | Kassel | Mainz
thing: Schreibtischlampe | Aktenschrank | Kupferrohr | Papierrolle | Gartenstuhl | Schutzhandschuhe | Wasserfilter | Lagerkiste | Büroreinigung | Heizungsreparatur | Lieferung und Montage | Jährliche Wartung | Druckerpatrone | Eichenbrett
thanks: Wir danken für Ihren Auftrag und berechnen wie folgt. | Vielen Dank für Ihre Bestellung. | Bitte geben Sie bei der Zahlung die Rechnungsnummer an. | Für unsere Leistungen berechnen wir Ihnen:
terms: Zahlbar innerhalb von 14 Tagen ohne Abzug. | Bitte zahlen Sie innerhalb von 30 Tagen. | Zahlungsbedingungen: 30 Tage netto. | Bei Zahlung innerhalb von 10 Tagen 2 % Skonto.
attention: z. Hd. {person}
page: Seite {n} von {of}
carry: Übertrag
cash: Bar | Kartenzahlung
change: Rückgeld
phone: Tel. | Telefon
month: Januar | Februar | März | April | Mai | Juni | Juli | August | September | Oktober | November | Dezember"""

_FRENCH = """title: Facture | FACTURE | Facture client | Facture de solde
credit: Avoir | Facture d'avoir | AVOIR | Note de crédit
receipt: Ticket de caisse | Reçu | Ticket | TICKET
number: Facture n° | N° de facture | Numéro de facture | Facture N° | Réf. facture | Facture no | N° facture | N° de pièce
credit_number: Avoir n° | Numéro d'avoir
receipt_number: Ticket n° | N° de ticket | N° ticket | Reçu n°
issued: Date de facture | Date | Date d'émission | Date de facturation | Émise le | Facturé le | Date facture | Date d'établissement
due: Date d'échéance | Échéance | À payer avant le | À régler avant le | Échéance le | Date limite de paiement | Payable le | Règlement avant le
order: N° de commande | Commande n° | Votre commande | Bon de commande | Numéro de commande | Réf. commande | Commande | Votre commande n°
customer: N° client | Code client | Réf. client | Numéro client
delivered: Date de livraison | Date de commande | Livré le | Date d'intervention
note: Bon de livraison | Affaire | N/réf. | Contrat n°
seller: Émetteur | Vendeur | Fournisseur | Prestataire | De | Société
buyer: Facturé à | Client | Destinataire | Adresse de facturation | Facture à | Acheteur
ship: Adresse de livraison | Livré à | Livraison à | Lieu de livraison
subtotal: Sous-total | Total lignes | Total brut HT | Sous total
net: Total HT | Montant HT | Total hors taxes | Net HT | Total net HT | Base HT | Sous-total HT | Montant total HT
tax: TVA | Montant TVA | Total TVA | T.V.A. | Montant de la TVA | Total de la TVA
total: Total TTC | Net à payer | Montant TTC | Total à payer | Net à payer TTC | Total général | Montant total TTC | Total dû
discount: Remise | Rabais
shipping: Frais de port | Transport
paid: Acompte | Acompte versé
rate: Taux | Taux TVA
holder: Titulaire | Titulaire du compte
bank: Crédit de {city} | Banque de {city}
vat_no: N° TVA | TVA intracommunautaire | N° TVA intracom. | TVA
item: Désignation | Description | Article | Libellé | Produit | Prestation
quantity: Quantité | Qté | Nombre | Nb
price: Prix unitaire | P.U. HT | PU HT | Prix
amount: Montant | Total HT | Montant HT | Total
firm: Portenord SARL | Havre & Fils SAS | Champbleu SA | Keller Négoce SARL | Groupe Valmoor SA | Fenouil Fournitures SAS | Tessel Logiciels SAS | Pinède Services SARL | Ateliers de la Carrière SA | Ostara Média SARL | Clairpuits Énergie SA | Éditions Alouette SARL
person: Anne Martin | Pierre Dubois | Claire Moreau | Julien Petit
street: {small} rue du Moulin | {small}2 rue de l'Église | {small} place du Marché | {small}{small} quai du Port
city: Lyon | Nantes | Dijon | Rouen | Lille | Tours | Reims | Nancy
thing: Lampe de bureau | Armoire | Tube de cuivre | Rouleau de papier | Chaise de jardin | Gants de sécurité | Filtre à eau | Caisse de stockage | Nettoyage des bureaux | Réparation du chauffage | Livraison et montage | Entretien annuel | Cartouche d'encre | Planche de chêne
thanks: Merci de votre commande. | Nous vous remercions de votre confiance. | Merci d'indiquer le numéro de facture lors du paiement. | Selon votre commande, nous vous facturons :
terms: Payable sous 30 jours sans escompte. | Paiement à 14 jours. | Conditions de paiement : 30 jours net. | Tout retard entraîne des pénalités de 5 %.
attention: À l'attention de {person}
page: Page {n} sur {of}
carry: À reporter
cash: Espèces | Carte bancaire
change: Rendu
phone: Tél. | Téléphone
month: janvier | février | mars | avril | mai | juin | juillet | août | septembre | octobre | novembre | décembre"""

_SPANISH = """title: Factura | FACTURA | Factura final | Factura ordinaria
credit: Factura rectificativa | Abono | ABONO | Nota de crédito
receipt: Factura simplificada | Ticket | Recibo | TICKET
number: Factura n.º | N.º de factura | Número de factura | Factura Nº | Núm. factura | Nº factura | Factura núm. | Ref. factura
credit_number: Abono n.º | Número de abono
receipt_number: Ticket n.º | N.º ticket | Nº de ticket | Recibo n.º
issued: Fecha de factura | Fecha | Fecha de emisión | Fecha factura | Emitida el | Fecha de expedición | Fecha emisión | Expedida el
due: Fecha de vencimiento | Vencimiento | Vence el | Pagar antes del | Fecha límite de pago | Vto. | Fecha vencimiento | A pagar antes del
order: N.º de pedido | Pedido n.º | Su pedido | Orden de compra | Número de pedido | Ref. pedido | Pedido | Nº pedido
customer: N.º cliente | Código cliente | Cliente n.º | Código de cliente
delivered: Fecha de entrega | Fecha de pedido | Fecha de operación | Fecha de envío
note: Albarán | Proyecto | Nuestra referencia | Contrato n.º
seller: Emisor | Vendedor | Proveedor | De | Datos del emisor | Empresa
buyer: Cliente | Facturar a | Facturado a | Destinatario | Datos del cliente | Comprador
ship: Dirección de entrega | Enviar a | Entregar en | Lugar de entrega
subtotal: Suma | Total líneas | Subtotal | Importe bruto
net: Base imponible | Subtotal | Importe neto | Total neto | Total sin IVA | Base | Total base imponible | Neto
tax: IVA | Cuota IVA | Importe IVA | Total IVA | I.V.A. | Cuota
total: Total | Total factura | Total a pagar | Importe total | Total con IVA | A pagar | Total IVA incluido | Importe a pagar
discount: Descuento | Dto.
shipping: Gastos de envío | Portes
paid: Anticipo | Entregado a cuenta
rate: Tipo | Tipo IVA
holder: Titular | Beneficiario
bank: Caja de {city} | Banco de {city}
vat_no: NIF | CIF | NIF-IVA | N.I.F.
item: Descripción | Concepto | Artículo | Producto | Servicio | Detalle
quantity: Cantidad | Cant. | Uds. | Unidades
price: Precio unitario | Precio | Precio ud. | P. unitario
amount: Importe | Total | Importe neto | Total línea
firm: Puertanorte S.L. | Puerto e Hijos S.A. | Campoazul S.L. | Comercial Keller S.A. | Grupo Alamar S.A. | Suministros Hinojo S.L. | Tesela Software S.L. | Servicios Pinar S.L. | Talleres Cantera S.A. | Ostara Medios S.L. | Energía Pozoclaro S.A. | Editorial Alondra S.L.
person: Ana García | Pedro López | Clara Ruiz | Juan Moreno
street: Calle del Molino, {small} | Calle Iglesia {small}2 | Plaza Mayor {small} | Avenida del Puerto {small}{small}
city: Valencia | Sevilla | Bilbao | Zaragoza | Murcia | Cádiz | Burgos | Gijón
thing: Lámpara de mesa | Archivador | Tubo de cobre | Rollo de papel | Silla de jardín | Guantes de seguridad | Filtro de agua | Caja de almacenaje | Limpieza de oficinas | Reparación de calefacción | Entrega y montaje | Revisión anual | Cartucho de tinta | Tabla de roble
thanks: Gracias por su pedido. | Le agradecemos su confianza. | Indique el número de factura en su pago, por favor. | Según su pedido le facturamos:
terms: Pago a 30 días sin descuento. | Pagadero en un plazo de 14 días. | Condiciones de pago: 30 días. | El retraso devengará un interés del 5 %.
attention: A la atención de {person}
page: Página {n} de {of}
carry: Suma y sigue
cash: Efectivo | Tarjeta
change: Cambio
phone: Tel. | Teléfono
month: enero | febrero | marzo | abril | mayo | junio | julio | agosto | septiembre | octubre | noviembre | diciembre"""

_ITALIAN = """title: Fattura | FATTURA | Fattura immediata | Fattura differita
credit: Nota di credito | NOTA DI CREDITO | Nota di accredito | Nota di credito
receipt: Scontrino | Ricevuta | Documento commerciale | Ricevuta fiscale
number: Fattura n. | Numero fattura | N. fattura | Fattura nr. | Numero documento | Nr. fattura | Fattura numero | N. documento
credit_number: Nota di credito n. | Numero nota di credito
receipt_number: Scontrino n. | Documento n. | Ricevuta n. | N. documento
issued: Data fattura | Data | Data emissione | Data documento | Data di emissione | Emessa il | Data di fatturazione | Data della fattura
due: Scadenza | Data scadenza | Data di scadenza | Da pagare entro il | Pagamento entro il | Scade il | Scadenza pagamento | Pagare entro il
order: Ordine n. | Numero ordine | Vostro ordine | Vs. ordine | N. ordine | Ordine d'acquisto | Rif. ordine | Ordine
customer: Codice cliente | Cod. cliente | N. cliente | Numero cliente
delivered: Data consegna | Data ordine | Data DDT | Data di consegna
note: DDT n. | Commessa | Ns. riferimento | Contratto n.
seller: Fornitore | Venditore | Emittente | Cedente | Da | Mittente
buyer: Cliente | Destinatario | Spett.le | Fatturare a | Cessionario | Intestata a
ship: Destinazione | Luogo di consegna | Indirizzo di consegna | Destinazione merce
subtotal: Totale merce | Totale righe | Subtotale | Somma
net: Imponibile | Totale imponibile | Importo netto | Totale netto | Base imponibile | Subtotale | Totale IVA esclusa | Netto
tax: IVA | Imposta | Importo IVA | Totale IVA | I.V.A. | Totale imposta
total: Totale | Totale fattura | Totale da pagare | Totale documento | Netto a pagare | Importo totale | Totale IVA inclusa | Totale a pagare
discount: Sconto | Abbuono
shipping: Spese di trasporto | Spedizione
paid: Acconto | Acconto versato
rate: Aliquota | Aliquota IVA
holder: Intestatario | Beneficiario
bank: Banca di {city} | Cassa di {city}
vat_no: P. IVA | Partita IVA | P.IVA | Part. IVA
item: Descrizione | Articolo | Prodotto | Servizio | Voce | Prestazione
quantity: Quantità | Q.tà | Qta | Pezzi
price: Prezzo unitario | Prezzo | Prezzo unit. | Costo unitario
amount: Importo | Totale | Importo netto | Totale riga
firm: Portanord S.r.l. | Porto & Figli S.n.c. | Campoblu S.p.A. | Commerciale Keller S.r.l. | Gruppo Almora S.p.A. | Forniture Finocchio S.r.l. | Tessera Software S.r.l. | Servizi Pineta S.r.l. | Officine Cava S.p.A. | Ostara Media S.r.l. | Energia Pozzochiaro S.p.A. | Edizioni Allodola S.r.l.
person: Anna Rossi | Pietro Bianchi | Chiara Ferrari | Luca Romano
street: Via del Mulino {small} | Via Chiesa, {small}2 | Piazza Mercato {small} | Viale del Porto {small}{small}
city: Torino | Bologna | Genova | Verona | Padova | Parma | Trieste | Modena
thing: Lampada da tavolo | Schedario | Tubo di rame | Rotolo di carta | Sedia da giardino | Guanti di sicurezza | Filtro per acqua | Cassa per magazzino | Pulizia uffici | Riparazione riscaldamento | Consegna e montaggio | Controllo annuale | Cartuccia stampante | Tavola di rovere
thanks: Grazie per il Vostro ordine. | Vi ringraziamo della fiducia. | Indicare il numero della fattura nel pagamento. | Come da accordi Vi fatturiamo quanto segue:
terms: Pagamento a 30 giorni data fattura. | Pagamento entro 14 giorni senza sconto. | Condizioni di pagamento: 30 giorni netto. | In caso di ritardo si applicano interessi del 5 %.
attention: c.a. {person}
page: Pagina {n} di {of}
carry: A riportare
cash: Contanti | Pagamento elettronico
change: Resto
phone: Tel. | Telefono
month: gennaio | febbraio | marzo | aprile | maggio | giugno | luglio | agosto | settembre | ottobre | novembre | dicembre"""

_DUTCH = """title: Factuur | FACTUUR | Verkoopfactuur | Uw factuur
credit: Creditnota | CREDITNOTA | Creditfactuur | Creditnota
receipt: Kassabon | Bon | Kwitantie | KASSABON
number: Factuurnummer | Factuurnr. | Factuur nr. | Factuur nummer | Nota nr. | Documentnummer | Factuur | Ons factuurnummer
credit_number: Creditnota nr. | Creditnotanummer
receipt_number: Bonnummer | Bon nr. | Bonnr. | Kassabon nr.
issued: Factuurdatum | Datum | Datum factuur | Uitgiftedatum | Datum van uitgifte | Opgemaakt op | Documentdatum | Notadatum
due: Vervaldatum | Te betalen vóór | Uiterste betaaldatum | Betalen voor | Vervalt op | Te voldoen voor | Betaaldatum | Uiterlijk te betalen op
order: Ordernummer | Bestelnummer | Uw order | Uw bestelling | Ordernr. | Inkoopordernummer | Bestelling | Opdrachtnummer
customer: Klantnummer | Debiteurnummer | Klantnr. | Relatienummer
delivered: Leverdatum | Besteldatum | Orderdatum | Datum levering
note: Pakbon | Projectnummer | Ons kenmerk | Contractnummer
seller: Leverancier | Verkoper | Van | Afzender | Opdrachtnemer | Facturerende partij
buyer: Factuur aan | Klant | Aan | Factuuradres | Afnemer | Koper
ship: Afleveradres | Leveradres | Bezorgadres | Verzendadres
subtotal: Subtotaal | Totaal regels | Som | Totaal goederen
net: Totaal excl. btw | Subtotaal | Nettobedrag | Bedrag excl. btw | Totaal exclusief btw | Netto | Totaal netto | Totaalbedrag excl. btw
tax: Btw | BTW | Btw-bedrag | Totaal btw | Omzetbelasting | BTW bedrag
total: Totaal | Totaal incl. btw | Te betalen | Totaalbedrag | Totaal te betalen | Eindtotaal | Te voldoen | Factuurbedrag
discount: Korting | Klantkorting
shipping: Verzendkosten | Transportkosten
paid: Aanbetaling | Reeds betaald
rate: Tarief | Btw-tarief
holder: Ten name van | Rekeninghouder
bank: Bank van {city} | Spaarbank {city}
vat_no: Btw-nummer | Btw-nr. | BTW-id | Btw nr
item: Omschrijving | Artikel | Product | Dienst | Beschrijving | Werkzaamheden
quantity: Aantal | Hoeveelheid | Stuks | Aant.
price: Prijs | Stuksprijs | Eenheidsprijs | Prijs per stuk
amount: Bedrag | Totaal | Regeltotaal | Totaalprijs
firm: Noordpoort B.V. | Haven & Zonen V.O.F. | Blauwveld N.V. | Keller Handel B.V. | Aldermoer Groep N.V. | Venkel Benodigdheden B.V. | Tessel Software B.V. | Dennenbos Diensten B.V. | Steengroeve Werken B.V. | Ostara Media B.V. | Helderbron Energie N.V. | Leeuwerik Uitgevers B.V.
person: Anna de Vries | Pieter Bakker | Klara Visser | Joost Smit
street: Molenweg {small} | Kerkstraat {small}2 | Marktplein {small} | Havenkade {small}{small}
city: Utrecht | Leiden | Breda | Zwolle | Arnhem | Delft | Gouda | Venlo
thing: Bureaulamp | Archiefkast | Koperen buis | Papierrol | Tuinstoel | Werkhandschoenen | Waterfilter | Opbergkist | Schoonmaak kantoor | Reparatie verwarming | Levering en montage | Jaarlijkse controle | Printercartridge | Eiken plank
thanks: Hartelijk dank voor uw bestelling. | Wij danken u voor uw vertrouwen. | Vermeld bij betaling het factuurnummer. | Hierbij brengen wij u in rekening:
terms: Betaling binnen 14 dagen zonder korting. | Gelieve binnen 30 dagen te betalen. | Betalingscondities: 30 dagen netto. | Bij te late betaling rekenen wij 5 % rente.
attention: t.a.v. {person}
page: Pagina {n} van {of}
carry: Transporteren
cash: Contant | Pin
change: Wisselgeld
phone: Tel. | Telefoon
month: januari | februari | maart | april | mei | juni | juli | augustus | september | oktober | november | december"""

TEXTS = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "it": _ITALIAN, "nl": _DUTCH}
LANGUAGES = tuple(TEXTS)


def words_of(language: str, half: int) -> Table:
    """Return the words of a language for one half (0 or 1) of the templates."""
    return half_of(read_table(TEXTS[language]), half)
