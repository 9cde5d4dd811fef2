/** The benchmark of answers under test. */
package dev.colony.bench.answers;
