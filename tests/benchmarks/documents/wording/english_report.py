"""Words of reports in English."""

TEXT = """| In the {small} months under review, costs rose by {small} percent to {amount}.
| The survey of {count} households shows that {topic} matters more than expected.
| Compared with {year}, the number of complaints fell from {count} to {count}.
| We therefore recommend that the board continue the work on {topic}.
| Table {small} gives an overview of the results by region.
| The measurements in {city} were repeated {small} times under the same conditions.
| About {small} out of ten respondents were satisfied with the {service}.
| The main risk remains the delay in the delivery of {thing}.
| Revenue amounted to {amount}, of which {city} contributed about {small} percent.
| Our analysis is based on data collected between {date} and {date}.
| The working group met {small} times and interviewed {count} experts.
| These findings do not hold for smaller sites, where only {count} cases were examined.
| On average, each inspection took {count} minutes, {small} less than in the previous period.
| It remains open whether the decline in {month} was caused by {topic}.
| Further steps depend on the budget, which will be decided on {date}.
| Figure {small} shows the development since {year}.
title: Annual Report {year} | Report on {topic} | Progress Report, {month} {year} | Results of the survey on {topic} | Inspection Report {number} | Quarterly Report
by: Prepared by {person}, {firm} | {person}, {city}, {date} | Working group on {topic} | Status: {date}
section: Introduction | Summary | Method | Results | Discussion | Recommendations | Costs | Outlook | Background | Findings | Data and sources | Next steps
finding: {count} of {count} sites were inspected
finding: costs rose by {small} percent
finding: more staff is needed in {city}
finding: {topic} should be examined again in {year}
columns: Region; {year}; {year}; Change
columns: Site; Cases; Costs; Share
row: {city}
caption: Figure {small}: Development since {year}
caption: Fig. {small}. Costs by month, in thousands
caption: Figure {small}: Answers to the survey, n = {count}
table_caption: Table {small}: Results by region
table_caption: Table {small}. Cases and costs, {year}
running: {firm} – Annual Report | Confidential draft, {date} | Report no. {number}"""
