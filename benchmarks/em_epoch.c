/* One epoch of EM for latent classes: what a plain C loop needs for it.
 *
 * One thread, float64, one pass over the codes. `theta` holds, for each restart, the K priors and
 * then for each code of each column the K probabilities of it; `counts` gets expected counts in the
 * same places, and `loglik` the log-likelihood of each restart.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define K 4 /* classes: known to the compiler, as the loops over them are the innermost */

void em_epoch(const uint8_t *codes, size_t n, size_t columns, const size_t *offsets, size_t cells,
              const double *weight, size_t restarts, const double *theta, double *counts,
              double *loglik)
{
    const size_t size = K * (1 + cells);
    memset(counts, 0, restarts * size * sizeof(double));
    memset(loglik, 0, restarts * sizeof(double));
    for (size_t row = 0; row < n; row++) {
        const uint8_t *code = codes + row * columns;
        for (size_t r = 0; r < restarts; r++) {
            const double *prior = theta + r * size, *matrix = prior + K;
            double *to = counts + r * size, *seen = to + K;
            double p[K], total = 0.0;
            for (int k = 0; k < K; k++)
                p[k] = prior[k];
            for (size_t c = 0; c < columns; c++) {
                const double *own = matrix + K * (offsets[c] + code[c]);
                for (int k = 0; k < K; k++)
                    p[k] *= own[k];
            }
            for (int k = 0; k < K; k++)
                total += p[k];
            loglik[r] += weight[row] * log(total);
            const double scale = weight[row] / total;
            for (int k = 0; k < K; k++) {
                p[k] *= scale;
                to[k] += p[k];
            }
            for (size_t c = 0; c < columns; c++) {
                double *own = seen + K * (offsets[c] + code[c]);
                for (int k = 0; k < K; k++)
                    own[k] += p[k];
            }
        }
    }
}
