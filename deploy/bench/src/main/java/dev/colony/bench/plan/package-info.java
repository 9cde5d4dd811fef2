/**
 * What agents that a model plans for cost in prompt tokens and model calls, beside plainer ways to
 * do the same: agents of the testkit and a scripted model server in one process.
 */
package dev.colony.bench.plan;
