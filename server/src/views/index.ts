export { viewsEndpoints } from './views.http.ts'
