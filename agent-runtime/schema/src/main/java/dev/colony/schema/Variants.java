package dev.colony.schema;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.AnnotatedClassResolver;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.victools.jsonschema.generator.CustomDefinitionProviderV2;
import com.github.victools.jsonschema.generator.SchemaGenerationContext;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A type with named variants, told apart by a field: {@code @JsonTypeInfo(use = NAME)} and
 * {@code @JsonSubTypes}.
 *
 * @param field that holds the variant's name
 */
record Variants(String field, List<NamedType> types) {

  /**
   * Those of a type; of a variant itself, that one.
   *
   * @throws IllegalArgumentException if its values would name their class, or if a variant has no
   *     name
   */
  static Optional<Variants> of(Class<?> type) {
    if (type.isPrimitive() || type.isArray() || type.getName().startsWith("java.")) {
      return Optional.empty();
    }
    DeserializationConfig config = JsonValues.MAPPER.getDeserializationConfig();
    AnnotatedClass annotated =
        AnnotatedClassResolver.resolve(config, config.constructType(type), config);
    JsonTypeInfo info = annotated.getAnnotation(JsonTypeInfo.class);
    if (info == null || info.use() == JsonTypeInfo.Id.NONE) {
      return Optional.empty();
    }
    if (info.use() != JsonTypeInfo.Id.NAME || info.include() != JsonTypeInfo.As.PROPERTY) {
      throw new IllegalArgumentException(
          "the variants of " + type.getName() + " must be told apart by name in a property");
    }
    List<NamedType> named =
        JsonValues.MAPPER
            .getSubtypeResolver()
            .collectAndResolveSubtypesByTypeId(config, annotated)
            .stream()
            .filter(one -> !one.getType().isInterface() && type.isAssignableFrom(one.getType()))
            .sorted(Comparator.comparing(NamedType::getName))
            .toList();
    if (named.isEmpty()) {
      throw new IllegalArgumentException(type.getName() + " names no variants in @JsonSubTypes");
    }
    return Optional.of(new Variants(info.property().isEmpty() ? "@type" : info.property(), named));
  }

  /** Any of them, each with its name in the field. */
  ObjectNode schema(CustomDefinitionProviderV2 current, SchemaGenerationContext context) {
    List<ObjectNode> each =
        types.stream()
            .map(one -> {
              ReadableTypes.check(one.getType());
              return named(
                  one.getName(),
                  context.createStandardDefinition(
                      context.getTypeContext().resolve(one.getType()), current));
            })
            .toList();
    if (each.size() == 1) {
      return each.get(0);
    }
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    schema.putArray("anyOf").addAll(each);
    return schema;
  }

  private ObjectNode named(String name, ObjectNode variant) {
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    fields.putObject(field).put("const", name);
    if (variant.get("properties") instanceof ObjectNode own) {
      fields.setAll(own);
    }
    variant.set("properties", fields);
    ArrayNode required = JsonNodeFactory.instance.arrayNode().add(field);
    if (variant.get("required") instanceof ArrayNode own) {
      required.addAll(own);
    }
    variant.set("required", required);
    return variant;
  }
}
