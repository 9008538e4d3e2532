"""Labels on French invoices and receipts, by what follows them."""

LABELS = """
title: facture | facture proforma | facture d'acompte | reçu | ticket de caisse | ticket | note d'honoraires | facturette
title: facture de solde | duplicata de facture | facture client | facture récapitulative | quittance | note | facture simplifiée
credit_title: avoir | facture d'avoir | note de crédit
other_title: devis | bon de livraison | bon de commande | confirmation de commande | relance | offre de prix | relevé de compte
invoice_number: facture n | facture no | facture numéro | numéro de facture | n de facture | n facture | no de facture | facture
invoice_number: no facture | num facture | facture nr | réf facture | référence facture | avoir n | numéro d'avoir | ticket n
invoice_number: facture #  | n d'avoir | avoir | avoir numéro | n° de ticket | n de reçu | reçu n | ticket numéro | note n
invoice_number: n de document | numéro de document | notre facture | n ticket | n de pièce | pièce n | note de crédit n
invoice_number: réf de facture | numéro de ticket | id facture | numéro de reçu | n° de la facture | numéro de pièce
invoice_number: numéro de note | n de note | numéro de la facture | référence de facture
weak_number: numéro | no | n
issue_date: date de facture | date de facturation | date facture | date d'émission | émise le | émis le | facture du | en date du
issue_date: date de la facture | facturé le | date d'établissement | établie le | date de l'avoir | avoir du | date du document
issue_date: date d'avoir | date d'achat | date du ticket | date émission | date d'édition | date de pièce
weak_date: date | le | du
due_date: date d'échéance | échéance | à payer avant le | à régler avant le | payable le | date limite de paiement | échéance le
due_date: à payer avant | paiement avant le | date de règlement | à régler le | payable avant le | règlement le | date échéance
due_date: à régler au plus tard le | payable au plus tard le | règlement avant le | paiement dû le | à payer le | paiement le
due_date: au plus tard le | exigible le | à acquitter avant le | date de paiement | échéance de paiement | à payer pour le
order_number: commande n | commande no | numéro de commande | n de commande | n commande | votre commande | bon de commande n
order_number: bon de commande | réf commande | commande | référence commande | no commande | votre commande n | votre bon de commande
order_number: n de bon de commande | n bon de commande | votre n de commande | numéro de bon de commande | bc n | no de commande
supplier: émetteur | vendeur | fournisseur | prestataire | de | titulaire | bénéficiaire | titulaire du compte | emetteur | société
supplier: exploitant | vendu par | ordre | votre fournisseur | à l'ordre de
buyer: facturé à | client | destinataire | adresse de facturation | acheteur | facture à | adressé à | à
buyer: facturer à | adresse client | nom du client | preneur | donneur d'ordre | facturation à | doit | coordonnées client
ship: adresse de livraison | livré à | livraison à | livrer à | lieu de livraison | lieu d'intervention
net: total ht | montant ht | sous total | total hors taxes | net ht | base ht | sous total ht | montant hors taxes | hors taxes
net: prix total ht | total net ht | ht | total hors tva | base hors taxe | montant total ht | montant net ht | total h t
net: montant hors tva | net hors taxes | base imposable | total hors taxe | total hors tva | sous total hors taxes | htva
net: total htva | montant htva | somme ht
tax: tva | montant tva | total tva | dont tva | montant de la tva | taxe | t v a | tva à | total taxes | montant tva à | plus tva
tax: total de la tva | taxes | tva totale | montant total tva | tva incluse | montant des taxes | tva comprise | tva en sus
total: total ttc | net à payer | montant ttc | total à payer | montant total | total | ttc | total toutes taxes comprises
total: total général | à payer | montant dû | solde à payer | total net à payer | montant à payer | reste à payer | total facture
total: montant total ttc | net à payer ttc | total tvac | total tva comprise | total dû | net à régler | montant net à payer
total: total de la facture | montant de la facture | total avoir | total du | total t t c | montant tvac | somme à payer | tvac
total: total à régler | prix ttc | montant de l'avoir | à régler | toutes taxes comprises | montant toutes taxes comprises
total: total eur | total chf | total euros | montant à régler | somme due | net à rembourser | total à rembourser
paid: acompte | espèces | carte bancaire | rendu | payé | déjà réglé | acompte versé | rendu monnaie | cb | reçu espèces
paid: monnaie rendue | carte | déjà payé | acompte déduit | visa | mastercard | paiement reçu | monnaie | acomptes versés
discount: remise | rabais | escompte | ristourne | remise commerciale | réduction
shipping: frais de port | port | livraison | transport | frais de livraison | frais d'expédition | port et emballage
carry: à reporter | report | sous total page
rounding: arrondi | arrondis
iban: iban | compte | rib | compte bancaire | coordonnées bancaires | n de compte | numéro de compte
bic: bic | swift | banque | code banque | domiciliation | bic/swift | code bic
customer_number: n client | numéro client | code client | n de client | réf client | référence client | numéro de client
customer_number: no client | client n | votre n client | compte client | id client
delivery_date: date de livraison | date de commande | date d'intervention | période | date de prestation | livré le
delivery_date: commande du | période de facturation | date d'expédition | valable jusqu'au | date du bon de commande
delivery_date: date d'exécution | date de la prestation | date de vente
other: bon de livraison n | bl n | n bl | référence | vos références | nos références | contact | conditions de paiement
other: mode de paiement | page | mode de règlement | devis n | n de devis | projet | chantier | affaire | dossier | vendeur n
other: caisse | caissier | table | serveur | terminal | magasin | conditions de règlement | objet | commercial | interlocuteur
other: à l'attention de | réf | notre réf | votre réf | contrat n | n de contrat | suivi par | service | couverts | heure | opérateur | transaction
other: bon de livraison | notre référence | votre référence | numéro de contrat | communication | réf paiement | code article
vat_id: n tva | tva intracommunautaire | n tva intracommunautaire | siret | siren | rcs | n de tva | numéro de tva | tva intra
vat_id: code ape | ape | naf | n tva intra | capital | numéro tva | tva n | n siret | id tva | ide | n ide | bce | rpm
vat_id: n entreprise | numéro d'entreprise | numéro tva intracommunautaire | code naf | au capital de
phone: téléphone | tél | tel | fax | courriel | email | e mail | mail | site | portable | site web | télécopie
column_position: pos | ligne | n
column_description: désignation | description | article | libellé | produit | prestation | désignation des articles | détail
column_description: nature de la prestation | intitulé | dénomination
column_quantity: quantité | qté | qte | nombre | nb | heures | qt | quantités | nbre | nb heures
column_unit: unité | u
column_code: référence | réf | code | code article
column_price: prix unitaire | p u | pu | prix | prix unitaire ht | pu ht | p u ht | tarif | taux horaire | prix unit | prix ht
column_tax: tva | taux | taux tva | tva % | % tva | taux de tva
column_discount: remise | rem | remise %
column_amount: montant | total | montant ht | total ht | prix total | total ligne | somme | prix total ht | total h t | montant h t
"""
