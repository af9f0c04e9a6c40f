import { language } from '../language/index.ts'

/**
 * In which language a paper is asked for: what stays in the house in that of the console; what a
 * customer gets in the customer's, which the service knows (undefined).
 */
export const paperLanguage = (path: string): 'en' | 'de' | undefined =>
  path === '/bookings/trial-balance' ? language : undefined
