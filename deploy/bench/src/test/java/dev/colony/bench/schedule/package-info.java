/** Tests of the bench of the scheduler, with a simulator of their own. */
package dev.colony.bench.schedule;
