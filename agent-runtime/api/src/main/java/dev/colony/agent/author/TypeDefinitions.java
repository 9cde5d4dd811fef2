package dev.colony.agent.author;

import com.fasterxml.classmate.ResolvedType;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.AnnotatedClassResolver;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.victools.jsonschema.generator.CustomDefinition;
import com.github.victools.jsonschema.generator.CustomDefinitionProviderV2;
import com.github.victools.jsonschema.generator.SchemaGenerationContext;
import dev.colony.agent.author.JsonSchemas.ReadableTypes;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The schemas of the types that JSON shows otherwise than Java does: enums, records that stand for
 * one value, durations, optional elements, variants that a field tells apart.
 */
final class TypeDefinitions implements CustomDefinitionProviderV2 {

  /** A type that contains itself with other arguments each time would go on for ever. */
  private static final int MAX_DESCRIPTION = 1000;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final boolean read;

  /**
   * @param read whether values are read, so that only {@link ReadableTypes} will do
   */
  TypeDefinitions(boolean read) {
    this.read = read;
  }

  @Override
  public CustomDefinition provideCustomSchemaDefinition(
      ResolvedType type, SchemaGenerationContext context) {
    Class<?> raw = type.getErasedType();
    if (type.getFullDescription().length() > MAX_DESCRIPTION) {
      throw new IllegalArgumentException("the type arguments of " + raw.getName() + " never end");
    }
    Optional<ObjectNode> known =
        value(raw)
            .or(() -> optional(type, context))
            .or(() -> completed(type, context))
            .or(() -> single(raw, context))
            .or(() -> Variants.of(raw).map(variants -> variants.schema(this, context)));
    if (known.isPresent()) {
      return new CustomDefinition(
          known.get(), CustomDefinition.INLINE_DEFINITION, CustomDefinition.EXCLUDING_ATTRIBUTES);
    }
    if (read) {
      ReadableTypes.check(raw);
    }
    return null;
  }

  private static Optional<ObjectNode> value(Class<?> raw) {
    if (JsonNode.class.isAssignableFrom(raw)) {
      ObjectNode schema = JSON.objectNode();
      if (ObjectNode.class.isAssignableFrom(raw)) {
        schema.put("type", "object");
      } else if (ArrayNode.class.isAssignableFrom(raw)) {
        schema.put("type", "array");
      }
      return Optional.of(schema);
    }
    if (raw == Object.class) {
      return Optional.of(JSON.objectNode());
    }
    if (raw == void.class || raw == Void.class) {
      return Optional.of(JSON.objectNode().put("type", "null"));
    }
    if (raw == Duration.class) {
      return Optional.of(JSON.objectNode().put("type", "string").put("format", "duration"));
    }
    if (raw == byte[].class) {
      return Optional.of(JSON.objectNode().put("type", "string").put("contentEncoding", "base64"));
    }
    return raw.isEnum() ? Optional.of(constants(raw)) : Optional.empty();
  }

  private static ObjectNode constants(Class<?> type) {
    ObjectNode schema = JSON.objectNode().put("type", "string");
    ArrayNode names = schema.putArray("enum");
    for (Object constant : type.getEnumConstants()) {
      names.add(JsonValues.toJson(constant));
    }
    return schema;
  }

  private static Optional<ObjectNode> optional(ResolvedType type, SchemaGenerationContext context) {
    if (!SchemaInference.optional(type.getErasedType())) {
      return Optional.empty();
    }
    ResolvedType inner =
        type.getTypeParameters().isEmpty()
            ? context.getTypeContext().resolve(SchemaInference.present(type.getErasedType()))
            : type.getTypeParameters().get(0);
    ObjectNode schema = JSON.objectNode();
    schema
        .putArray("anyOf")
        .add(context.createDefinitionReference(inner))
        .add(JSON.objectNode().put("type", "null"));
    return Optional.of(schema);
  }

  private Optional<ObjectNode> completed(ResolvedType type, SchemaGenerationContext context) {
    List<ResolvedType> value = type.typeParametersFor(CompletionStage.class);
    if (read || value == null) {
      return Optional.empty();
    }
    return Optional.of(
        value.isEmpty() ? JSON.objectNode() : context.createDefinition(value.get(0)));
  }

  /** A type that stands in JSON as the one value that {@code @JsonValue} marks. */
  private static Optional<ObjectNode> single(Class<?> raw, SchemaGenerationContext context) {
    if (raw.isPrimitive() || raw.isArray() || raw.getName().startsWith("java.")) {
      return Optional.empty();
    }
    JavaType type = JsonValues.MAPPER.constructType(raw);
    BeanDescription bean = JsonValues.MAPPER.getSerializationConfig().introspect(type);
    AnnotatedMember value = bean.findJsonValueAccessor();
    return value == null
        ? Optional.empty()
        : Optional.of(
            context.createDefinition(context.getTypeContext().resolve(value.getRawType())));
  }

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
      return Optional.of(
          new Variants(info.property().isEmpty() ? "@type" : info.property(), named));
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
}
