dependencies {
    api(project(":inference-gateway:gateway"))
    api(libs.jtokkit)
    api(libs.lucene.core)
    api(libs.lucene.analysis.common)
    testImplementation(project(path = ":inference-gateway:gateway", configuration = "testJar"))
    testImplementation(libs.logback.classic)
}
