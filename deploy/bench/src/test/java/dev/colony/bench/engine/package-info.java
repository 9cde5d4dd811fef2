/** Tests of the replay of recorded requests. */
package dev.colony.bench.engine;
