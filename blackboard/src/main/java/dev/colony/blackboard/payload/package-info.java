/**
 * What is large lies beside Redis: in a folder that all nodes mount, or in an S3-compatible store.
 * Knows names, owners and bytes, not what they mean; uses nothing else of ours but clocks and the
 * binder of settings. The journal and the Redis backend of the blackboard keep their {@link
 * dev.colony.blackboard.payload.PayloadVault payloads} here.
 */
package dev.colony.blackboard.payload;
