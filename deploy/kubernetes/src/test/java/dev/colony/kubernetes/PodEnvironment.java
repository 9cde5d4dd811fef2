package dev.colony.kubernetes;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The environment that Kubernetes makes of a container's variables in the first pod. */
final class PodEnvironment {

  static final String ADDRESS = "10.1.2.3";

  private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Z_]+)\\)");

  private static final Map<String, String> FIELDS =
      Map.of(
          "metadata.name",
          ChartFolder.RELEASE + "-0",
          "status.podIP",
          ADDRESS,
          "metadata.labels['apps.kubernetes.io/pod-index']",
          "0");

  private PodEnvironment() {}

  /** Of each secret, the value is the name of its Secret. */
  static Map<String, String> of(Container container) {
    Map<String, String> environment = new LinkedHashMap<>();
    for (EnvVar variable : container.getEnv()) {
      environment.put(
          variable.getName(),
          variable.getValueFrom() == null
              ? expanded(variable.getValue(), environment)
              : given(variable.getValueFrom()));
    }
    return environment;
  }

  private static String given(EnvVarSource source) {
    return source.getFieldRef() == null
        ? source.getSecretKeyRef().getName()
        : Optional.ofNullable(FIELDS.get(source.getFieldRef().getFieldPath())).orElseThrow();
  }

  /** A reference to what does not stand before stays as it is. */
  private static String expanded(String value, Map<String, String> before) {
    return REFERENCE
        .matcher(value)
        .replaceAll(reference ->
            Matcher.quoteReplacement(before.getOrDefault(reference.group(1), reference.group())));
  }
}
