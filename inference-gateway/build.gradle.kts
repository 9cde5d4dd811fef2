dependencies {
    api(libs.jackson.databind)
    api(libs.jackson.datatype.jdk8)
    api(libs.jackson.datatype.jsr310)
    api(libs.jtokkit)
    api(libs.config)
    api(libs.lucene.core)
    api(libs.lucene.analysis.common)
    api(libs.slf4j.api)
    testImplementation(libs.logback.classic)
}
