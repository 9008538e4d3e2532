"""Labels on French invoices and receipts, by what follows them."""

LABELS = """
title: facture | facture proforma | facture d'acompte | reçu | ticket de caisse | ticket | note d'honoraires
title: facturette | facture de solde | duplicata de facture | facture client | facture récapitulative | quittance
title: note | facture simplifiée
credit_title: avoir | facture d'avoir | note de crédit
other_title: devis | bon de livraison | bon de commande | confirmation de commande | relance | offre de prix
other_title: relevé de compte
invoice_number: facture n | facture no | facture numéro | numéro de facture | n de facture | n facture | no de facture
invoice_number: facture | no facture | num facture | facture nr | réf facture | référence facture | avoir n
invoice_number: numéro d'avoir | ticket n | facture # | n d'avoir | avoir | avoir numéro | n° de ticket | n de reçu
invoice_number: reçu n | ticket numéro | note n | n de document | numéro de document | notre facture | n ticket
invoice_number: n de pièce | pièce n | note de crédit n | réf de facture | numéro de ticket | id facture
invoice_number: numéro de reçu | n° de la facture | numéro de pièce | numéro de note | n de note
invoice_number: numéro de la facture | référence de facture
weak_number: numéro | no | n
issue_date: date de facture | date de facturation | date facture | date d'émission | émise le | émis le | facture du
issue_date: en date du | date de la facture | facturé le | date d'établissement | établie le | date de l'avoir
issue_date: avoir du | date du document | date d'avoir | date d'achat | date du ticket | date émission
issue_date: date d'édition | date de pièce
weak_date: date | le | du
due_date: date d'échéance | échéance | à payer avant le | à régler avant le | payable le | date limite de paiement
due_date: échéance le | à payer avant | paiement avant le | date de règlement | à régler le | payable avant le
due_date: règlement le | date échéance | à régler au plus tard le | payable au plus tard le | règlement avant le
due_date: paiement dû le | à payer le | paiement le | au plus tard le | exigible le | à acquitter avant le
due_date: date de paiement | échéance de paiement | à payer pour le
order_number: commande n | commande no | numéro de commande | n de commande | n commande | votre commande
order_number: bon de commande n | bon de commande | réf commande | commande | référence commande | no commande
order_number: votre commande n | votre bon de commande | n de bon de commande | n bon de commande
order_number: votre n de commande | numéro de bon de commande | bc n | no de commande
supplier: émetteur | vendeur | fournisseur | prestataire | de | titulaire | bénéficiaire | titulaire du compte
supplier: emetteur | société | exploitant | vendu par | ordre | votre fournisseur | à l'ordre de
buyer: facturé à | client | destinataire | adresse de facturation | acheteur | facture à | adressé à | à | facturer à
buyer: adresse client | nom du client | preneur | donneur d'ordre | facturation à | doit | coordonnées client
ship: adresse de livraison | livré à | livraison à | livrer à | lieu de livraison | lieu d'intervention
net: total ht | montant ht | sous total | total hors taxes | net ht | base ht | sous total ht | montant hors taxes
net: hors taxes | prix total ht | total net ht | ht | total hors tva | base hors taxe | montant total ht
net: montant net ht | total h t | montant hors tva | net hors taxes | base imposable | total hors taxe
net: sous total hors taxes | htva | total htva | montant htva | somme ht
tax: tva | montant tva | total tva | dont tva | montant de la tva | taxe | t v a | tva à | total taxes | montant tva à
tax: plus tva | total de la tva | taxes | tva totale | montant total tva | tva incluse | montant des taxes
tax: tva comprise | tva en sus
total: total ttc | net à payer | montant ttc | total à payer | montant total | total | ttc
total: total toutes taxes comprises | total général | à payer | montant dû | solde à payer | total net à payer
total: montant à payer | reste à payer | total facture | montant total ttc | net à payer ttc | total tvac
total: total tva comprise | total dû | net à régler | montant net à payer | total de la facture
total: montant de la facture | total avoir | total du | total t t c | montant tvac | somme à payer | tvac
total: total à régler | prix ttc | montant de l'avoir | à régler | toutes taxes comprises
total: montant toutes taxes comprises | total eur | total chf | total euros | montant à régler | somme due
total: net à rembourser | total à rembourser
paid: acompte | espèces | carte bancaire | rendu | payé | déjà réglé | acompte versé | rendu monnaie | cb
paid: reçu espèces | monnaie rendue | carte | déjà payé | acompte déduit | visa | mastercard | paiement reçu | monnaie
paid: acomptes versés
discount: remise | rabais | escompte | ristourne | remise commerciale | réduction
shipping: frais de port | port | livraison | transport | frais de livraison | frais d'expédition | port et emballage
carry: à reporter | report | sous total page
rounding: arrondi | arrondis
iban: iban | compte | rib | compte bancaire | coordonnées bancaires | n de compte | numéro de compte
bic: bic | swift | banque | code banque | domiciliation | bic/swift | code bic
customer_number: n client | numéro client | code client | n de client | réf client | référence client
customer_number: numéro de client | no client | client n | votre n client | compte client | id client
delivery_date: date de livraison | date de commande | date d'intervention | période | date de prestation | livré le
delivery_date: commande du | période de facturation | date d'expédition | valable jusqu'au | date du bon de commande
delivery_date: date d'exécution | date de la prestation | date de vente
other: bon de livraison n | bl n | n bl | référence | vos références | nos références | contact
other: conditions de paiement | mode de paiement | page | mode de règlement | devis n | n de devis | projet | chantier
other: affaire | dossier | vendeur n | caisse | caissier | table | serveur | terminal | magasin
other: conditions de règlement | objet | commercial | interlocuteur | à l'attention de | réf | notre réf | votre réf
other: contrat n | n de contrat | suivi par | service | couverts | heure | opérateur | transaction | bon de livraison
other: notre référence | votre référence | numéro de contrat | communication | réf paiement | code article
vat_id: n tva | tva intracommunautaire | n tva intracommunautaire | siret | siren | rcs | n de tva | numéro de tva
vat_id: tva intra | code ape | ape | naf | n tva intra | capital | numéro tva | tva n | n siret | id tva | ide | n ide
vat_id: bce | rpm | n entreprise | numéro d'entreprise | numéro tva intracommunautaire | code naf | au capital de
phone: téléphone | tél | tel | fax | courriel | email | e mail | mail | site | portable | site web | télécopie
column_position: pos | ligne | n
column_description: désignation | description | article | libellé | produit | prestation | désignation des articles
column_description: détail | nature de la prestation | intitulé | dénomination
column_quantity: quantité | qté | qte | nombre | nb | heures | qt | quantités | nbre | nb heures
column_unit: unité | u
column_code: référence | réf | code | code article
column_price: prix unitaire | p u | pu | prix | prix unitaire ht | pu ht | p u ht | tarif | taux horaire | prix unit
column_price: prix ht
column_tax: tva | taux | taux tva | tva % | % tva | taux de tva
column_discount: remise | rem | remise %
column_amount: montant | total | montant ht | total ht | prix total | total ligne | somme | prix total ht | total h t
column_amount: montant h t
"""
