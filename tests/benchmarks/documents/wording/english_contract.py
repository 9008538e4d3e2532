"""Words of contracts in English."""

TEXT = """| The contractor undertakes to carry out the {service} at the premises in {city}.
| The parties agree upon a fee of {amount} for each month or part of a month.
| This agreement begins on {date} and is valid for {small} years.
| Either party may terminate the agreement by giving {small} months' notice in writing.
| Amendments to this agreement are valid only if both parties sign them.
| The customer shall pay within {count} days after the invoice has been received.
| The contractor is liable for damage only where it acted intentionally or with gross negligence.
| Both parties shall keep confidential all information that they receive under this agreement.
| Should a provision of this agreement be invalid, the other provisions remain in force.
| The courts of {city} have jurisdiction over all disputes that arise from this agreement.
| The tenant shall return the premises in the condition in which they were handed over.
| A deposit of {amount} is payable before the keys are handed over.
| The seller warrants that the {thing} are free from defects and from rights of third parties.
| The employee is entitled to {count} days of paid leave in each calendar year.
| Neither party may assign its rights without the prior consent of the other.
| If payment is delayed, the supplier may withhold further deliveries of {thing}.
| The rights to all works created under this agreement pass to the customer upon payment.
title: Service Agreement | Lease Agreement | Contract of Sale | Employment Contract | Loan Agreement | License Agreement
between: between {firm}, {street} {small}, {city} (the “contractor”)
between: between {person}, residing at {street} {small}, {city}, hereinafter “the landlord”,
and: and {person}, {street} {count}, {city} (the “customer”)
and: and {firm}, {city}, represented by {person}, hereinafter “the other party”,
clause: Subject of the agreement | Term and termination | Remuneration | Liability | Confidentiality | Final provisions | Duties of the parties | Warranty | Place of jurisdiction | Delivery | Rights of use | Payment
mark: § | Article | Section
place_date: {city}, {date}
signature: Signature of the contractor | Signature of the customer | The landlord | The tenant | For {firm}
recital: The parties conclude the following agreement:
recital: It is hereby agreed as follows:"""
