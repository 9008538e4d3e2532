"""Words of invoices in English."""

TEXT = """| Please pay the total within {small} weeks to the account below.
| We thank you for your order of {date} and charge you as follows.
| Payment is due on {date} without any deduction.
| The goods remain our property until they are paid in full.
| For payment within {small} days we grant you a discount of {small} percent.
| Please give the invoice number {number} as the reference of your payment.
| Delivery took place on {date} from our warehouse in {city}.
| All prices are in dollars and include packing and freight.
| If you pay late, we charge interest of {small} percent a year and a fee of {amount}.
| Questions about this bill? Call {person}, extension {count}.
| The tax was calculated at the rate that was valid on {date}.
| Bank transfers only, please; checks can no longer be accepted.
| We charge the amount to your account on or after {date}.
| This invoice was made by a computer and is valid without a signature.
| Our services in {month}: {service}, {small} hours on site.
title: Invoice | INVOICE | Bill | Tax Invoice | Invoice no. {number} | Final Invoice | Pro forma invoice
meta: Invoice no. | Invoice date | Customer no. | Due date | Order no. | Delivery date | VAT ID | Contact
meta_id: {number}
columns: Item; Qty; Unit price; Amount
columns: Description; Quantity; Price; Total
columns: Article; Units; Each; Sum
columns: Service; Hours; Rate; Amount
row: {thing^}
row: {thing^}, {adjective}
row: {service^}
row: {thing^} no. {count}
row: Freight and packing
row: Work on site, {city}
subtotal: Subtotal | Net amount | Sum of items | Total before tax
tax: VAT {small} % | Sales tax {small}.5 % | plus {small} % tax
total: Total due | Amount due | Grand total | Total | Balance to pay
bank: IBAN: {iban}
bank: Bank of {city} · Account {iban}
bank: Please pay to IBAN {iban}
terms: Tax no. {count}/{count}/{count} · {firm} · {city}
terms: Registered in {city}, HRB {count} · Director: {person}"""
