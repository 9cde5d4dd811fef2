package dev.colony.kubernetes;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads Kubernetes objects and refuses what an API server would only drop or warn about: a kind
 * that is not expected, a field that the kind does not have, a field given twice.
 */
final class StrictYaml {

  private static final Map<String, Class<? extends HasMetadata>> KINDS =
      Map.ofEntries(
          Map.entry("v1 ConfigMap", ConfigMap.class),
          Map.entry("v1 Secret", Secret.class),
          Map.entry("v1 Service", Service.class),
          Map.entry("v1 ServiceAccount", ServiceAccount.class),
          Map.entry("apps/v1 StatefulSet", StatefulSet.class),
          Map.entry("autoscaling/v2 HorizontalPodAutoscaler", HorizontalPodAutoscaler.class),
          Map.entry("networking.k8s.io/v1 NetworkPolicy", NetworkPolicy.class),
          Map.entry("policy/v1 PodDisruptionBudget", PodDisruptionBudget.class),
          Map.entry("rbac.authorization.k8s.io/v1 Role", Role.class),
          Map.entry("rbac.authorization.k8s.io/v1 RoleBinding", RoleBinding.class),
          Map.entry("monitoring.coreos.com/v1 ServiceMonitor", ServiceMonitor.class),
          Map.entry(
              "apiextensions.k8s.io/v1 CustomResourceDefinition", CustomResourceDefinition.class));

  private static final YAMLMapper MAPPER = mapper();

  private StrictYaml() {}

  /**
   * All objects of some documents, in their order.
   *
   * @throws IllegalArgumentException naming the kind or the field that is not known
   */
  static List<HasMetadata> objects(String yaml) {
    List<HasMetadata> objects = new ArrayList<>();
    for (JsonNode document : documents(yaml)) {
      String kind = document.path("apiVersion").asText() + " " + document.path("kind").asText();
      Class<? extends HasMetadata> type = KINDS.get(kind);
      if (type == null) {
        throw new IllegalArgumentException("'" + kind + "' is not expected here");
      }
      try {
        objects.add(MAPPER.treeToValue(document, type));
      } catch (IOException unknown) {
        throw new IllegalArgumentException(kind + ": " + unknown.getMessage(), unknown);
      }
    }
    return objects;
  }

  /** The documents as they stand; empty ones are left out. */
  static List<JsonNode> documents(String yaml) {
    try (var documents = MAPPER.readerFor(JsonNode.class).<JsonNode>readValues(yaml)) {
      return documents.readAll().stream().filter(JsonNode::isObject).toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static YAMLMapper mapper() {
    YAMLMapper mapper =
        new YAMLMapper(
            YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build());
    mapper.setAnnotationIntrospector(
        new JacksonAnnotationIntrospector() {

          /** The model's classes would keep what they do not know. */
          @Override
          public Boolean hasAnySetter(Annotated member) {
            return Boolean.FALSE;
          }
        });
    return mapper;
  }
}
