/**
 * The gateway over HTTP: admits calls, picks their replica, retries and fails over, and follows
 * which pages the replicas hold. {@link AdmissionQueue} is pure: no clock, no thread; tenants share
 * by weight (Goyal, Vin and Cheng, "Start-time Fair Queueing", SIGCOMM 1996), calls of one tenant
 * by linear aging of priorities.
 */
package dev.colony.inference.gateway;
