/** The benches at small scale, and what they are to show. */
package dev.colony.bench;
