/**
 * Holds the Kubernetes chart to what it promises: it renders, its objects are what Kubernetes
 * knows, obey the policies of a cluster, fit together, and fit the node that they start.
 */
package dev.colony.kubernetes;
