package dev.colony.vcm.schedule.lease;

/**
 * How long leases last. Holders and authority must have the same.
 *
 * @param termSeconds a lease that is not renewed ends after that, by the holder's clock from when
 *     it sent what the last renewal answers, by the authority's from when it answered; above 0
 * @param renewSeconds after which a holder repeats how things stand; above 0, at most half a term
 * @param graceSeconds for which an authority that has just begun grants nothing: leases that its
 *     predecessor granted, and that no holder reports, have ended by then; at least a term
 * @param pickupSeconds for which a lease is kept for an agent that waits in no node's memory, from
 *     when it is told to go on; at least a term
 * @param forgetSeconds after which an agent is forgotten that holds no lease and asks for none; at
 *     least a term
 */
public record LeaseTimes(
    double termSeconds,
    double renewSeconds,
    double graceSeconds,
    double pickupSeconds,
    double forgetSeconds) {

  public LeaseTimes {
    if (!(termSeconds > 0)
        || !(renewSeconds > 0 && 2 * renewSeconds <= termSeconds)
        || !(graceSeconds >= termSeconds)
        || !(pickupSeconds >= termSeconds)
        || !(forgetSeconds >= termSeconds)) {
      throw new IllegalArgumentException(
          "term "
              + termSeconds
              + ", renew "
              + renewSeconds
              + ", grace "
              + graceSeconds
              + ", pickup "
              + pickupSeconds
              + ", forget "
              + forgetSeconds);
    }
  }
}
