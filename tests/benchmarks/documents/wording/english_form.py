"""Words of forms in English."""

TEXT = """| Please fill in this form in block letters and return it by {date}.
| Tick whatever applies; leave all other boxes empty.
| Incomplete forms cannot be processed.
| I confirm that all information given above is true and complete.
| Send the form to {firm}, {street} {small}, {city}.
| Fields with an asterisk must be filled in.
| Attach a copy of your passport and {small} photographs.
| Do not write below this line; for office use only.
| I agree that my data are stored in order to process my application.
| Use a separate sheet for each further person.
| The form must be signed by a parent if the applicant is under {count} years old.
| Please hand in this page at the counter in room {count}.
| You can withdraw your consent at any time by writing to us.
title: Application form | Registration for {month} | Claim form | Membership application | Change of address form | Order form | Travel expense claim | Questionnaire
section: Personal details | Address | Bank details | Your order | Household members | Employment | Declaration | Details of the event
label: Last name | First name | Date of birth | Place of birth | Street and number | Postal code | City | Telephone | Email | Nationality | Occupation | Employer | Account holder | IBAN | Signature | Date | Customer number | Tax number | Marital status | Reason
answer: {last_name} | {first_name} | {date} | {city} | {street} {small} | {count} | {number} | {person}
choice: yes | no | female | male | single | married | by post | by email | full-time | part-time | new application | extension | I agree | not applicable | cash | by direct debit
question: Do you have a valid passport? | Have you been a member before? | How do you wish to be informed? | Do you live alone? | Is the damage insured? | Do you need a receipt?
table: No.; Name; Date; Amount"""
