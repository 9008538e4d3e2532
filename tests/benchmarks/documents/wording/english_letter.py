"""Words of letters in English."""

TEXT = """| Thank you for your letter of {date}, which reached us only yesterday.
| We have considered your request and are glad to tell you that we can agree to it.
| Unfortunately we cannot change the date of your appointment on {date}.
| Please send us the signed copy back within {small} weeks.
| I was very pleased to meet you in {city} and remember our talk about {topic} well.
| As you asked on the telephone, I enclose our catalog with {thing} and {thing}.
| Your application made a good impression on all of us, and we would like to invite you to an interview on {date}.
| I am writing to you because the {thing} that I ordered have not arrived yet.
| With this letter I end my contract number {number} as of {date}.
| Would you be so kind as to confirm that you have received it?
| Our office will be closed from {date}; after that you can reach {person} as usual.
| We regret the trouble that the delay with the {service} has caused you.
| If you have any questions, please call {person} in our office in {city}.
| My family and I send you our best regards from {city} and hope to see you in {month}.
| Your customer number has changed; the new one is {number}.
| May I remind you that we still wait for your answer about {topic}?
| I would be grateful for an early reply, as the matter has become urgent.
| The meeting of our society takes place on {date} at {firm}, {street} {small}.
subject: Your letter of {date}
subject: Invitation to {city} on {date}
subject: End of contract {number}
subject: Your application of {date}
subject: Complaint about {thing}
subject: Our talk about {topic}
subject: {service^}
subject: Change of address
greeting: Dear {person}, | Dear Mr. {last_name}, | Dear Mrs. {last_name}, | Dear Sir or Madam, | Dear {first_name}, | Hello {first_name},
closing: Yours sincerely | Kind regards | Best wishes | Yours faithfully | With many thanks | Warm regards
label: Your reference: | Our reference: | Telephone: | Date:
enclosed: Enclosure: copy of contract {number}
enclosed: Enclosed: {small} photographs
enclosed: P.S. Please give my regards to {person}.
title: Managing Director | Customer Service | Head of Sales | Secretary | Department of {city}"""
