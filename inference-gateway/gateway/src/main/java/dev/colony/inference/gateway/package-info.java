/**
 * The gateway over HTTP: admits calls, picks their replica, retries and fails over, and follows
 * which pages the replicas hold.
 */
package dev.colony.inference.gateway;
