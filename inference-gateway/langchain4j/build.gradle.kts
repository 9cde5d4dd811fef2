dependencies {
    api(project(":inference-gateway:gateway"))
    api(libs.langchain4j.core)
    api(libs.langchain4j.http.client)
    testImplementation(project(path = ":inference-gateway:gateway", configuration = "testJar"))
    testImplementation(libs.langchain4j.open.ai)
    testImplementation(libs.logback.classic)
}
