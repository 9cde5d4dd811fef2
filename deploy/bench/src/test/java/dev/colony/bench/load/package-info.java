/** Tests of how calls are made. */
package dev.colony.bench.load;
