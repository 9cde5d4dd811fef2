/**
 * The way to agents from anywhere: requests are written to the blackboard and results read from it.
 * Depends on the blackboard's ports; knows no actor, so that it works outside the cluster.
 */
package dev.colony.client;
