import { language } from '../language/index.ts'

const OF_THE_HOUSE = new Set(['/bookings/trial-balance', '/desk/reconciliation/days/{day_id}'])

/**
 * In which language a paper is asked for: what stays in the house in that of the console; what a
 * customer gets in the customer's, which the service knows (undefined).
 */
export const paperLanguage = (path: string): 'en' | 'de' | undefined =>
  OF_THE_HOUSE.has(path) ? language : undefined
