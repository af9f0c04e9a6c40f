/** The tables of sanctions lists, of what was found with them, and of travel-rule data. */
export const SCREENING_TABLES = {
  screening_cases: {
    kept: 'for good',
    customers: { subject: 'texts' as const, reason: 'word' as const },
    plain: ['matches', 'record_kind'],
  },
  screening_entries: { kept: 'for good', plain: ['digest', 'entry', 'key', 'list'] },
  screening_lists: {
    kept: 'for good',
    plain: ['faults', 'files', 'list', 'published', 'sha256'],
  },
  screening_terms: { kept: 'for good', plain: ['listed', 'term'] },
  screenings: {
    kept: 'for good',
    customers: { subject: 'texts' as const },
    plain: ['basis', 'matches', 'outcome', 'record_kind'],
  },
  travel_rule_data: {
    kept: 'for good',
    customers: { ivms101_2020: 'none' as const, ivms101_2023: 'none' as const },
    plain: ['record_kind'],
  },
}
