// Whether the Kontor of this container is ready: it asks the port of the metrics, which every role
// has, on the machine itself. Plain JavaScript without dependencies.
import { get as plainGet } from 'node:http'
import { get as tlsGet } from 'node:https'

const { KONTOR_METRICS_PORT: port = '4001' } = process.env
const LIMIT_MILLISECONDS = 4_000

/**
 * @param {typeof plainGet | typeof tlsGet} get @param {string} scheme
 * @returns {Promise<boolean>}
 */
const isReady = (get, scheme) =>
  new Promise((done) => {
    // Its certificate has another name than the machine's own address.
    const options = { timeout: LIMIT_MILLISECONDS, rejectUnauthorized: false }
    get(`${scheme}://127.0.0.1:${port}/readyz`, options, (response) => {
      response.resume()
      done(response.statusCode === 200)
    })
      .on('timeout', () => done(false))
      .on('error', () => done(false))
  })

const ready = (await isReady(plainGet, 'http')) || (await isReady(tlsGet, 'https'))
process.exit(ready ? 0 : 1)
