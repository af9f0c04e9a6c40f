/** What English says otherwise of one than of several. Every other text is its own key. */
export const ENGLISH: Readonly<Record<string, string>> = {
  '{{code}} has {{count}} decimals; enter no more_one':
    '{{code}} has {{count}} decimal; enter no more',
  'to a destination changed in the last {{count}} hours_one':
    'to a destination changed in the last hour',
  'over {{count}} routes_one': 'over one route',
  'asked for by {{count}} users_one': 'asked for by one user',
  'asked for by {{count}} API keys_one': 'asked for by one API key',
  '{{count}} named users_one': 'one named user',
  '{{groups}} within {{count}} hours_one': '{{groups}} within an hour',
  'On the withdrawals of the last {{count}} days_one': 'On the withdrawals of the last day',
  'My approval is asked for {{count}} times_one': 'My approval is asked for',
  '{{count}} approvals missing_one': '{{count}} approval missing',
  '{{count}} other checks are clear_one': '{{count}} other check is clear',
  '{{count}} differences are not explained yet_one': '{{count}} difference is not explained yet',
  '{{count}} results_one': '{{count}} result',
  '{{count}} assignments that wait_one': '{{count}} assignment that waits',
  '{{count}} cells under {{columns}} columns_one': '{{count}} cell under {{columns}} columns',
  '{{count}} assignments were requested_one': 'An assignment was requested',
  '{{count}} deposits came without an owner_one': 'A deposit came without an owner',
  '{{count}} halts were set_one': 'Withdrawals or trading were halted',
  '{{count}} outcomes were not known_one': 'An outcome was not known',
  '{{count}} payments were held for review_one': 'A payment was held for review',
  '{{count}} records of venues were set aside_one': 'A record of a venue was set aside',
  '{{count}} times a venue and the books differed_one': 'A venue and the books differed',
  '{{count}} times a venue did not answer_one': 'A venue did not answer',
  '{{count}} settings differed from the configuration file_one':
    'A setting differed from the configuration file',
  '{{count}} venues, assets or price routes differed from the configuration file_one':
    'A venue, an asset or a price route differed from the configuration file',
  '{{count}} connections differ from the configuration file_one':
    '{{count}} connection differs from the configuration file',
  '{{count}} settings differ from the configuration file_one':
    '{{count}} setting differs from the configuration file',
  '{{count}} days_one': '{{count}} day',
  '{{count}} deposits_one': '{{count}} deposit',
  '{{count}} hours_one': '{{count}} hour',
  '{{count}} minutes_one': '{{count}} minute',
  '{{count}} lines are not paid._one': '{{count}} line is not paid.',
  '{{count}} lines name another payee than the one stored._one':
    '{{count}} line names another payee than the one stored.',
  '{{count}} payments_one': '{{count}} payment',
  '{{count}} withdrawals_one': '{{count}} withdrawal',
  '{{count}} withdrawals created_one': '{{count}} withdrawal created',
  'Every {{count}} days_one': 'Every day',
  'Every {{count}} hours_one': 'Every hour',
  'Every {{count}} minutes_one': 'Every minute',
  'Settlement created with {{count}} nets_one': 'Settlement created with {{count}} net',
  'To be confirmed: {{count}} payments, <amount/> in all, from <wallet/>._one':
    'To be confirmed: {{count}} payment, <amount/> in all, from <wallet/>.',
}
