"""Labels on English invoices and receipts, by what follows them."""

LABELS = """
title: invoice | tax invoice | vat invoice | commercial invoice | sales invoice | final invoice | bill | your bill
title: pro forma invoice | proforma invoice | receipt | sales receipt | vat receipt | cash receipt
title: self billed invoice | interim invoice | progress invoice | service invoice | simplified invoice | till receipt
title: recurring invoice
credit_title: credit note | credit memo | credit invoice | refund | credit memorandum
other_title: quote | quotation | estimate | order confirmation | purchase order | delivery note | packing slip
other_title: sales order | statement of account | offer | packing list | work order
invoice_number: invoice number | invoice no | invoice nr | invoice num | invoice id | invoice # | invoice | inv no
invoice_number: inv number | bill number | bill no | receipt number | receipt no | receipt # | credit note no
invoice_number: receipt id | credit note number | credit note # | credit note | tax invoice no | tax invoice number
invoice_number: tax invoice | document number | document no | our invoice | our invoice no | invoice ref
invoice_number: invoice reference | credit memo no | credit memo number | bill # | doc no | transaction no | ticket no
invoice_number: statement no | statement number
invoice_number: sales receipt no | receipt | bill | invoice code | credit no | credit memo # | invoice/credit no
weak_number: number | no | nr | document | #
issue_date: invoice date | date of invoice | issue date | date of issue | issued on | issued | bill date | date issued
issue_date: billing date | receipt date | credit note date | tax point | tax point date | dated | document date
issue_date: date of bill | inv date | credit memo date | date of receipt | tax date | invoice issued | date/time
issue_date: sale date | statement date
weak_date: date | on
due_date: due date | payment due | due | due on | due by | pay by | payable by | payment due by | date due
due_date: to be paid by | payment due date | please pay by | payment date | due for payment on | payment due on
due_date: payable on | payable until | settle by | pay before | payment deadline | payable no later than
due_date: settlement date | please settle by | amount due by | total amount due by | total due by | balance due by
order_number: order number | order no | order # | order id | purchase order | purchase order no
order_number: purchase order number | po number | po no | po # | po | your order | your order no | p o number | p o no
order_number: customer order no | order ref | order reference | your po | purchase order # | customer po | order
order_number: your purchase order | po ref | customer order | your order number | sales order | sales order no
order_number: sales order number
supplier: receipt from | your receipt from
supplier: from | seller | supplier | vendor | billed by | issued by | invoice from | sold by | remit to | company
supplier: payee | account name | account holder | beneficiary | provider | sender | invoiced by
buyer: bill to | billed to | invoice to | invoiced to | sold to | customer | client | buyer | billing address | to
buyer: for
buyer: invoice address | customer name | recipient | purchaser | charge to | customer address | issued to
ship: ship to | deliver to | delivery address | shipping address | delivered to | shipped to | site address
net: net amount | net | net total | total net | subtotal | sub total | total excl vat | total excluding vat
net: total ex vat | amount before tax | total before tax | taxable amount | amount excl vat | total excl tax
net: net value | total without tax | goods total | net price | total excluding tax | total (excl vat)
net: subtotal excl vat | sum before tax | taxable total | amount excluding tax | vatable amount | total net of vat
net: untaxed amount | subtotal net | pre-tax total
tax: vat | tax | sales tax | vat amount | total vat | tax amount | total tax | gst | hst | vat total | plus vat
tax: tax total | value added tax | add vat | output vat | vat @ | includes vat | including vat of | of which vat
tax: vat included | tax included | vat charged | thereof vat
total: total | total due | amount due | balance due | grand total | total amount | total payable | amount payable
total: invoice total | total incl vat | total including vat | total inc vat | total amount due | to pay | please pay
total: balance to pay | gross amount | gross total | total gross | amount to pay | total to pay | total incl tax
total: total including tax | total (incl vat) | total charge | payable | amount owing | total invoice amount
total: total price | total amount payable | invoice amount | total credit | credit total | total credited
total: amount credited | total (gbp) | total (usd) | total (eur) | sum total | total with tax | gross | final amount
total: balance now due | please pay this amount | pay this amount | amount charged | total charged
total: total you owe | you owe
total: amount due by | total amount due by | total due by | balance due by | please pay by
total: total invoice value | total to be paid | amount of invoice | total sum | balance payable
paid: paid | amount paid | deposit | prepaid | payment received | less deposit | change | cash | card | tendered
paid: visa | mastercard | debit card | credit card | change due | paid by card | cash tendered | amount tendered
paid: already paid | less payments | less advance payment
discount: discount | rebate | less discount | trade discount | special discount
shipping: shipping | postage | delivery | freight | carriage | shipping and handling | delivery charge
shipping: postage and packing
carry: carried forward | brought forward | carry over | subtotal page | page total | balance forward
carry: previous balance | sum of items
rounding: rounding
iban: iban | account number | account no | bank account | iban no | account | account/iban
bic: bic | swift | swift code | bic/swift | swift/bic | sort code | routing number | bank | bank name | bank details
customer_number: customer number | customer no | customer id | customer # | client no | client number | account ref
customer_number: client id | customer ref | customer code | account id | your customer number | debtor no
customer_number: customer reference
delivery_date: delivery date | date of supply | date of delivery | ship date | service date | date shipped
delivery_date: supply date | order date | date of order | print date | service period | billing period | period
delivery_date: valid until | delivered on | dispatch date | date of service | performance period | purchase order date
other: delivery note | delivery note no | quote no | project | project no | project number | contact | our ref
other: your ref | our reference | your reference | reference | payment terms | terms | terms of payment
other: payment method | page | contract no | contract number | job no | sales rep | sales person | salesperson
other: your contact | terminal | till | cashier | served by | table | store | auth code | payment reference
other: serial no | article no | item no | sku | delivery note number | dispatch note | lot no | meter no | cost center
other: cost centre | department | contract | operator | register | transaction | approval code | payment | incoterms
other: shipment no | tracking no | clerk
vat_id: vat no | vat number | vat id | vat reg no | vat registration no | vat registration number | vat reg | tax id
vat_id: vat identification number | ein | tax number | tax no | company no | company number | registration number
vat_id: company registration no | reg no | registered number | our vat no | your vat no | registered no
vat_id: company reg no
phone: phone | tel | telephone | fax | mobile | email | e-mail | web | website | www | call | helpline
column_position: pos | line | item no | #
column_description: description | item | article | product | service | details | particulars | goods | work | services
column_description: description of goods | item description | product description
column_quantity: qty | quantity | units | hours | pcs | number of | count | quantity/hours | pieces | hrs
column_unit: unit | uom
column_code: sku | code | article no | item code | part no | product code | ref
column_price: unit price | price | price each | rate | each | unit cost | price per unit | unit rate | per unit
column_price: item price
column_tax: vat | vat % | tax | tax rate | vat rate | tax % | vat code
column_discount: discount | disc | disc %
column_amount: amount | total | line total | sum | net amount | value | net | line amount | ext price | extended price
column_amount: total price | net value | amount excl vat
"""
