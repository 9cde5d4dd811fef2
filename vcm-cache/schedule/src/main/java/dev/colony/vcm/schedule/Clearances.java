package dev.colony.vcm.schedule;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * Up to which class tenants may read pages and replicas may hold them. Immutable; an answer costs
 * the number of entries at most.
 *
 * @param tenants by name
 * @param otherTenants of those that have no entry
 * @param replicas by id, or by what the replica's URL begins with: of several the longest counts
 * @param otherReplicas of those that have no entry
 */
public record Clearances(
    Map<String, Sensitivity> tenants,
    Sensitivity otherTenants,
    Map<String, Sensitivity> replicas,
    Sensitivity otherReplicas) {

  /** Each tenant may read what is not another's own, and each replica hold it. */
  public static final Clearances ALL =
      new Clearances(Map.of(), Sensitivity.RESTRICTED, Map.of(), Sensitivity.RESTRICTED);

  public Clearances {
    tenants = Map.copyOf(tenants);
    replicas = Map.copyOf(replicas);
  }

  /**
   * Why a tenant may not read a page; empty where it may.
   *
   * @param tenant who reads; empty where nothing says on whose behalf
   * @param owner whose own the page is; empty where it is shared
   */
  public Optional<String> refusal(String tenant, Optional<String> owner, Sensitivity page) {
    if (owner.isPresent() && !owner.get().equals(tenant)) {
      return Optional.of("is another tenant's");
    }
    Sensitivity cleared = tenants.getOrDefault(tenant, otherTenants);
    return page.compareTo(cleared) <= 0
        ? Optional.empty()
        : Optional.of(
            "is %s, and %s is cleared up to %s"
                .formatted(
                    page.word(),
                    tenant.isEmpty() ? "a caller without a tenant" : "tenant " + tenant,
                    cleared.word()));
  }

  /**
   * Whether a replica may hold a page.
   *
   * @param url where it is asked
   */
  public boolean mayHold(String replica, String url, Sensitivity page) {
    return page.compareTo(replica(replica, url)) <= 0;
  }

  /** Up to which class a replica may hold pages. */
  public Sensitivity replica(String id, String url) {
    if (replicas.containsKey(id)) {
      return replicas.get(id);
    }
    return replicas.keySet().stream()
        .filter(url::startsWith)
        .max(Comparator.comparingInt(String::length))
        .map(replicas::get)
        .orElse(otherReplicas);
  }
}
