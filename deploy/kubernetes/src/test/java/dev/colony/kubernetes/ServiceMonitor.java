package dev.colony.kubernetes;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;

/** What the chart uses of the Prometheus operator's kind. */
@Group("monitoring.coreos.com")
@Version("v1")
final class ServiceMonitor extends CustomResource<ServiceMonitor.Spec, Void> {

  record Spec(LabelSelector selector, List<Endpoint> endpoints) {}

  /** One port of the services, by name. */
  record Endpoint(String port, String path, String interval) {}
}
