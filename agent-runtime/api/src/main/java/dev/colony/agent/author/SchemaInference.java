package dev.colony.agent.author;

import com.fasterxml.classmate.ResolvedType;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.victools.jsonschema.generator.FieldScope;
import com.github.victools.jsonschema.generator.Option;
import com.github.victools.jsonschema.generator.OptionPreset;
import com.github.victools.jsonschema.generator.SchemaBuilder;
import com.github.victools.jsonschema.generator.SchemaGenerator;
import com.github.victools.jsonschema.generator.SchemaGeneratorConfigBuilder;
import com.github.victools.jsonschema.generator.SchemaVersion;
import com.github.victools.jsonschema.module.jackson.JacksonModule;
import dev.colony.agent.author.Param.Range;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Asks the generator for schemas. The generator keeps state while it works, so that one at a time
 * is made; results are cached by the callers.
 */
final class SchemaInference {

  /** Of values that are read: every type in them has to be readable. */
  static final SchemaInference READ = new SchemaInference(true);

  /** Of values that are written. */
  static final SchemaInference WRITTEN = new SchemaInference(false);

  private static final Map<Class<?>, Class<?>> OPTIONALS =
      Map.of(
          Optional.class, Object.class,
          OptionalInt.class, int.class,
          OptionalLong.class, long.class,
          OptionalDouble.class, double.class);

  private final SchemaGenerator generator;

  private SchemaInference(boolean read) {
    SchemaGeneratorConfigBuilder config =
        new SchemaGeneratorConfigBuilder(
                JsonValues.MAPPER,
                SchemaVersion.DRAFT_2020_12,
                new OptionPreset(
                    Option.ADDITIONAL_FIXED_TYPES,
                    Option.STANDARD_FORMATS,
                    Option.FLATTENED_OPTIONALS,
                    Option.PUBLIC_NONSTATIC_FIELDS,
                    Option.NONPUBLIC_NONSTATIC_FIELDS_WITH_GETTERS,
                    Option.NONPUBLIC_NONSTATIC_FIELDS_WITHOUT_GETTERS,
                    Option.MAP_VALUES_AS_ADDITIONAL_PROPERTIES,
                    Option.FORBIDDEN_ADDITIONAL_PROPERTIES_BY_DEFAULT,
                    Option.PLAIN_DEFINITION_KEYS,
                    Option.ALLOF_CLEANUP_AT_THE_END))
            .with(new JacksonModule());
    config
        .forFields()
        .withTargetTypeOverridesResolver(SchemaInference::unboxed)
        .withNullableCheck(field -> optional(field.getDeclaredType().getErasedType()) ? true : null)
        .withRequiredCheck(field -> !optional(field.getDeclaredType().getErasedType()))
        .withInstanceAttributeOverride((schema, field, context) -> describe(schema, field));
    config
        .forTypesInGeneral()
        .withCustomDefinitionProvider(new TypeDefinitions(read))
        .withPropertySorter((one, other) -> 0)
        .withArrayUniqueItemsResolver(
            type -> Set.class.isAssignableFrom(type.getType().getErasedType()) ? true : null);
    generator = new SchemaGenerator(config.build());
  }

  static boolean optional(Class<?> type) {
    return OPTIONALS.containsKey(type);
  }

  /** What an optional type is a type of; of any other type itself. */
  static Type present(Type type) {
    return type instanceof ParameterizedType generic && generic.getRawType() == Optional.class
        ? generic.getActualTypeArguments()[0]
        : type instanceof Class<?> raw ? OPTIONALS.getOrDefault(raw, raw) : type;
  }

  synchronized ObjectNode of(Type type) {
    return generator.generateSchema(type);
  }

  /** The schemas of several types that share definitions, which stand under {@code $defs}. */
  synchronized Map<String, ObjectNode> ofAll(Map<String, Type> types) {
    SchemaBuilder builder = generator.buildMultipleSchemaDefinitions();
    Map<String, ObjectNode> schemas = new LinkedHashMap<>();
    types.forEach((name, type) -> schemas.put(name, builder.createSchemaReference(type)));
    schemas.put("$defs", builder.collectDefinitions("$defs"));
    return schemas;
  }

  /** The number of an optional number; the generator itself knows {@link Optional} only. */
  private static List<ResolvedType> unboxed(FieldScope field) {
    Class<?> type = field.getDeclaredType().getErasedType();
    return optional(type) && type != Optional.class
        ? List.of(field.getContext().resolve(OPTIONALS.get(type)))
        : null;
  }

  private static void describe(ObjectNode schema, FieldScope field) {
    Class<?> declaring = field.getDeclaringType().getErasedType();
    if (!declaring.isRecord() || field.isFakeContainerItemScope()) {
      return;
    }
    RecordComponent component =
        Arrays.stream(declaring.getRecordComponents())
            .filter(one -> one.getName().equals(field.getDeclaredName()))
            .findFirst()
            .orElseThrow();
    Param param = component.getAnnotation(Param.class);
    if (param != null && !param.name().isEmpty()) {
      throw new IllegalArgumentException(
          component + " of " + declaring.getName() + " is renamed by @JsonProperty, not @Param");
    }
    ResolvedType type = field.getOverriddenType();
    Described.add(
        schema, component, (type == null ? field.getDeclaredType() : type).getErasedType());
  }

  /** What a parameter's or a record component's annotations add to its type's schema. */
  static final class Described {

    private Described() {}

    /**
     * Adds them.
     *
     * @param type of the value, without what makes it optional
     * @throws IllegalArgumentException if a range is given for what has neither value nor size
     */
    static void add(ObjectNode schema, AnnotatedElement element, Class<?> type) {
      Param param = element.getAnnotation(Param.class);
      if (param != null && !param.value().isEmpty()) {
        schema.put("description", param.value());
      }
      if (param != null && !param.defaultValue().isEmpty()) {
        schema.set("default", given(element, param.defaultValue(), type));
      }
      Range range = element.getAnnotation(Range.class);
      if (range != null) {
        String measure = measure(element, type);
        bound(schema, measure.isEmpty() ? "minimum" : "min" + measure, range.min());
        bound(schema, measure.isEmpty() ? "maximum" : "max" + measure, range.max());
      }
    }

    /**
     * A default value, read as JSON unless the parameter is a text.
     *
     * @throws IllegalArgumentException if it is no value of the type
     */
    static JsonNode given(AnnotatedElement element, String text, Class<?> type) {
      try {
        JsonNode value =
            type == String.class || type.isEnum()
                ? JsonNodeFactory.instance.textNode(text)
                : JsonValues.parse(text);
        JsonValues.read(value, type);
        return value;
      } catch (JsonProcessingException | IllegalArgumentException wrong) {
        throw new IllegalArgumentException(
            "the default of " + element + " is no " + type.getSimpleName() + ": " + text, wrong);
      }
    }

    /** The same schema, satisfied by null as well. */
    static ObjectNode nullable(ObjectNode schema) {
      ObjectNode none = JsonNodeFactory.instance.objectNode().put("type", "null");
      if (schema.isEmpty()) {
        return schema;
      }
      if (schema.path("type").isTextual() && !schema.has("enum")) {
        String type = schema.path("type").textValue();
        ArrayNode either = JsonNodeFactory.instance.arrayNode().add(type).add("null");
        schema.set("type", either);
        return schema;
      }
      ObjectNode either = JsonNodeFactory.instance.objectNode();
      either.putArray("anyOf").add(schema).add(none);
      return either;
    }

    private static void bound(ObjectNode schema, String keyword, double bound) {
      if (Double.isFinite(bound)) {
        if (bound == (int) bound) {
          schema.put(keyword, (int) bound);
        } else {
          schema.put(keyword, bound);
        }
      }
    }

    private static String measure(AnnotatedElement element, Class<?> type) {
      if (Number.class.isAssignableFrom(type)
          || type.isPrimitive() && type != boolean.class && type != char.class) {
        return "";
      }
      return Optional.<String>empty()
          .or(() -> type == String.class ? Optional.of("Length") : Optional.empty())
          .or(() ->
              Collection.class.isAssignableFrom(type) || type.isArray()
                  ? Optional.of("Items")
                  : Optional.empty())
          .or(() -> Map.class.isAssignableFrom(type) ? Optional.of("Properties") : Optional.empty())
          .orElseThrow(() ->
              new IllegalArgumentException(
                  "@Range stands on " + element + ", which has neither a value nor a size"));
    }
  }
}
