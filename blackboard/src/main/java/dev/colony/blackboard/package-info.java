/**
 * The blackboard: versioned entries in scopes, each write's event stored with it and pushed to
 * subscribers, and the inbox through which requests reach agents from outside the cluster.
 *
 * <p>This root package is the public API and knows no backend. Access policies decide who may touch
 * which key, validation policies which values are valid. The model is the blackboard of Erman,
 * Hayes-Roth, Lesser and Reddy, "The Hearsay-II Speech-Understanding System" (1980), kept in Redis.
 */
package dev.colony.blackboard;
