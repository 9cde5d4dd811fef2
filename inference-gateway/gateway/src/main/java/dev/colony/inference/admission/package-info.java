/**
 * Which model call goes next: one bounded waiting room for all calls of a node, before the
 * replicas' slots. Tenants share by weight, calls of one tenant by priority and age; a call that
 * cannot be carried out in time, or for which there is no room, is told so.
 *
 * <p>{@link dev.colony.inference.admission.AdmissionQueue} is pure: no clock, no thread. Sources:
 * Goyal, Vin and Cheng, "Start-time Fair Queueing" (SIGCOMM 1996), between tenants; linear aging of
 * priorities within one.
 */
package dev.colony.inference.admission;
